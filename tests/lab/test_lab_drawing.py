"""How the page draws: when a drag asks for a picture, how contours are followed, who is on top."""

import math

import pytest

PACE = """
const { Pace } = await import("/js/talk/pace.js");
const pace = new Pace(), frames = [];
const frame = (k) => 1000 + (k * 1000) / 60;
// Each frame is shown, the pointer moves every 4 ms after it, and an answer takes `turn` milliseconds.
for (let k = 0; k < 400; k++) { // 7 seconds
  pace.shown(frame(k));
  let asked = null;
  for (let at = frame(k) + 1; at < frame(k + 1); at += 4) {
    pace.moved(at);
    const wait = pace.wait(at);
    if (asked === null && wait < 4) asked = at + wait;
  }
  pace.asked(asked);
  frames.push({ early: frame(k + 1) - asked, late: asked + TURN > frame(k + 1) });
  if (asked + TURN > frame(k + 1)) k += 1; // it is shown one frame later
}
const last = frames.slice(-200);
const mean = (of) => last.reduce((sum, each) => sum + of(each), 0) / last.length;
return [mean(({ early }) => early), mean(({ late }) => Number(late))];
"""


@pytest.mark.parametrize("turn", [3.0, 6.0, 9.0])
def test_a_drag_asks_as_late_as_an_answer_allows(lab, turn):
    early, late = lab.js(PACE.replace("TURN", str(turn)))
    assert turn - 1.0 < early < turn + 5.0  # the pointer moves every 4 ms
    assert late < 0.15


def test_a_drag_asks_at_once_where_answers_take_longer_than_a_frame(lab):
    early, _ = lab.js(PACE.replace("TURN", "25"))
    assert early > 1000 / 60 - 4.0


def test_a_move_after_a_rest_is_asked_about_at_once(lab):
    waits = lab.js(
        """const { Pace } = await import("/js/talk/pace.js");
        const pace = new Pace();
        for (let k = 0; k < 100; k++) { pace.moved(16 * k); pace.asked(16 * k); pace.shown(16 * k + 15); }
        pace.moved(2000);
        return [pace.wait(2000)];"""
    )
    assert waits == [0]


CONTOURS = """
const { fillAbove, strokeLevel } = await import("/js/draw/contours.js");
const { Plane } = await import("/js/draw/scale.js");
const plane = new Plane(), n = 41;
plane.resize(200, 200);
plane.look([0, 0], 2);
const f = (x, y) => FUNCTION, place = (k) => -2 + (4 * k) / (n - 1);
const values = Float32Array.from({ length: n * n }, (_, k) => f(place(k % n), place(Math.floor(k / n))));
const canvas = document.createElement("canvas");
canvas.width = canvas.height = 200;
const paper = canvas.getContext("2d");
const grid = { columns: n, rows: n, values, window: [-2, 2, -2, 2] };
DRAW;
const { data } = paper.getImageData(0, 0, 200, 200);
let sum = 0;
for (let k = 3; k < data.length; k += 4) sum += data[k] / 255;
"""


@pytest.mark.parametrize(
    ("function", "level", "sign", "area"),
    [
        ("1 - x * x - y * y", 0.0, 1, math.pi),  # closed, inside
        ("1 - x * x - y * y", 0.0, -1, 16 - math.pi),  # all around, with a hole
        ("x - 0.5", 0.0, 1, 6.0),  # closed by the border
        ("Math.abs(x) - 1", 0.0, 1, 8.0),  # two pieces
        ("1 + 0 * x", 0.0, 1, 16.0),  # everywhere
        ("1 + 0 * x", 2.0, 1, 0.0),  # nowhere
        ("x > 0 ? 0 : -1", 1e-9, -1, 8.4),  # a step, a cell of 0.1 wide
    ],
)
def test_a_filled_contour_has_its_area(lab, function, level, sign, area):
    draw = f"fillAbove(paper, plane, grid, {level}, {sign})"
    pixels = lab.js(CONTOURS.replace("FUNCTION", function).replace("DRAW", draw) + "return sum")
    assert pixels / 2500 == pytest.approx(area, rel=0.02, abs=0.01)


@pytest.mark.parametrize(
    ("function", "length"),
    [("1 - x * x - y * y", 2 * math.pi), ("x - 0.52", 4.0), ("x * x - 1", 8.0), ("1 + 0 * x", 0.0)],
)
def test_a_stroked_contour_has_its_length_and_nothing_along_the_border(lab, function, length):
    draw = "paper.lineWidth = 2; strokeLevel(paper, plane, grid, 0)"
    body = CONTOURS.replace("FUNCTION", function).replace("DRAW", draw)
    assert lab.js(body + "return sum") / 100 == pytest.approx(length, rel=0.03)


DRAWN = """
const rows = (where) => [...document.querySelectorAll(`.x-view .${where} .point`)].map((p) => Number(p.dataset.row));
const drawn = (row) => { c.hover(row); return [rows("marks"), rows("over")]; };
"""


def test_the_row_that_is_pointed_at_is_drawn_above_the_others_and_goes_back(lab):
    lab.preset("eight")
    assert lab.js(DRAWN + "return drawn(3)") == [[0, 1, 2, 4, 5, 6, 7], [3]]
    assert lab.js(DRAWN + "return drawn(5)") == [[0, 1, 2, 3, 4, 6, 7], [5]]
    lab.act("remove", row=5)
    assert lab.js(DRAWN + "return drawn(null)") == [[0, 1, 2, 3, 4, 5, 6], []]
