"""The page shows the library's own steps: each run ends where the estimator's fit ends, number for number.

Tests `lab/runs/frame.py`, `lab/runs/gradient.py`, `lab/runs/hard_margin.py`, `lab/runs/kernel_perceptron.py`,
`lab/runs/leap.py`, `lab/runs/perceptron.py`, `lab/views/x.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

from separatrix import SVC, Perceptron, separability
from separatrix.lab.answers import Answers, estimator
from separatrix.lab.playback import Playback
from separatrix.lab.presets import BY_NAME
from separatrix.lab.runs.soft_margin import soft_problem
from separatrix.lab.scene import Scene
from separatrix.lab.views.risk import compared_paths, values_at
from separatrix.lab.views.step_size import step_sizes
from separatrix.lab.views.w import polyhedron_faces
from separatrix.lab.views.wedge import clipped


def ended(scene: Scene) -> Playback:
    play = Playback(scene)
    play.finish()
    return play


@pytest.mark.parametrize("algorithm", ["perceptron", "gradient"])
@pytest.mark.parametrize("bias", ["unit", "radius", "none"])
@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("start", ["zero", "row"])
def test_a_linear_run_ends_with_the_estimators_weights(algorithm, bias, order, start):
    scene = (
        BY_NAME["origin"]
        .make()
        .changed({"algorithm": algorithm, "bias": bias, "order": order, "start": start, "step": 0.5})
    )
    play, model = ended(scene), estimator(scene).fit(scene.X, scene.y)
    assert play.over
    assert isinstance(model, Perceptron)
    assert model.n_updates_ == play.frame.updates > 0
    assert np.array_equal(model.coef_[0], play.frame.w)
    assert model.intercept_[0] == play.frame.b


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("name", ["xor", "circles"])
def test_a_kernel_perceptron_ends_with_the_estimators_counts(name, order):
    scene = BY_NAME[name].make().changed({"algorithm": "kernel-perceptron", "order": order})
    play, model = ended(scene), estimator(scene).fit(scene.X, scene.y)
    assert play.over
    assert np.array_equal(model.alpha_, play.frame.weights)
    grid = np.array([[0.3, -0.2], [1.5, 1.5], [-2.0, 0.1]])
    assert play.run.scores(play.frame, grid) == pytest.approx(model.decision_function(grid), rel=1e-12)


@pytest.mark.parametrize("solver", ["interior-point", "coordinate-descent"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_soft_margin_walks_to_the_answer_of_the_fit(solver, loss):
    scene = BY_NAME["overlapping"].make().changed({"solver": solver, "loss": loss})
    play, model = ended(scene), SVC(C=1.0, loss=loss, solver=solver, random_state=0, n_threads=1)
    model.fit(scene.X, scene.y)
    last = play.frame
    assert (last.primal, last.dual, last.gap) == (model.primal_, model.dual_, model.gap_)
    assert np.array_equal(last.weights, model.alpha_)
    assert np.array_equal(last.w, model.coef_[0])
    assert len(play.frames) > 3
    # Weak duality at every step: each dual value is below each primal one.
    duals = [frame.dual for frame in play.frames]
    primals = [frame.primal for frame in play.frames]
    assert max(duals) <= min(primals) * (1 + 1e-12)


def test_the_hard_margin_narrows_to_the_widest_slab():
    scene = BY_NAME["separable"].make()
    play, model = ended(scene), SVC(C=float("inf")).fit(scene.X, scene.y)
    assert np.array_equal(play.frame.w, model.coef_[0])
    lengths = [float(np.linalg.norm(frame.w)) for frame in play.frames]
    assert lengths == sorted(lengths)
    assert play.frames[-2].w == pytest.approx(
        model.coef_[0], rel=1e-9
    )  # the method itself, before the fit is shown


@pytest.mark.parametrize("name", ["touching", "overlapping", "xor", "circles"])
def test_no_hard_margin_where_no_line_separates(name):
    scene = BY_NAME[name].make().changed({"algorithm": "hard-margin"})
    play = ended(scene)
    assert play.over
    assert "no hard margin" in play.sentence()
    assert Answers(scene).proof.proved


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("algorithm", ["hard-margin", "soft-margin", "kernel-svm"])
@pytest.mark.parametrize("C", [0.1, 1e2, 1e6])
def test_a_leap_shows_what_the_walk_would(algorithm, loss, C):
    """Two solvers, each with a gap below 1e-9 proved: their objectives agree to that, their scores to its root."""
    name = "separable" if algorithm == "hard-margin" else "overlapping"
    scene = BY_NAME[name].make().changed({"algorithm": algorithm, "C": C, "loss": loss})
    walked, leapt = ended(scene), Playback(scene)
    leapt.finish(leap=True)
    assert leapt.leapt
    assert leapt.frame.gap <= 1e-9
    assert leapt.frame.primal == pytest.approx(walked.frame.primal, rel=1e-8)
    seen, shown = (play.run.scores(play.frame, scene.X) for play in (walked, leapt))
    assert shown == pytest.approx(seen, abs=1e-4 * np.max(np.abs(seen)))
    leapt.unfold()
    assert len(leapt.frames) == len(walked.frames)


@pytest.mark.parametrize("algorithm", ["perceptron", "gradient", "kernel-perceptron"])
def test_a_point_dropped_in_joins_the_run(algorithm):
    scene = BY_NAME["eight"].make().changed({"algorithm": algorithm, "gamma": 0.05})
    play = Playback(scene)
    play.forward(2)
    before = play.frame
    bigger = scene.with_point([2.0, 2.0, 1])
    assert play.grow(bigger)
    assert play.frame.updates == before.updates
    if before.w is not None:
        assert np.array_equal(play.frame.w, before.w)
    play.finish()
    assert play.over
    f = play.run.scores(play.frame, bigger.X)
    assert np.all(bigger.y * f > 0)


def test_updates_after_growing_still_keep_the_bound():
    scene = BY_NAME["eight"].make()
    play = Playback(scene)
    play.forward(10)
    assert play.grow(scene.with_point([3.0, 1.0, 1]))
    play.finish()
    assert play.frame.updates <= play.answers.bound.updates


def test_back_and_forward_show_the_same_frames():
    play = ended(BY_NAME["eight"].make())
    frames = list(play.frames)
    play.back(5)
    assert play.frame is frames[-6]
    play.seek(3)
    assert play.frame is frames[3]
    play.forward(4)
    assert play.frame is frames[7]


def test_an_endless_run_is_shown_and_can_go_on():
    play = ended(BY_NAME["overlapping"].make().changed({"algorithm": "perceptron"}))
    assert not play.over
    assert "no end" in play.sentence()
    steps = len(play.frames)
    play.forward(10)
    assert len(play.frames) == steps + 10


def test_the_wedge_is_where_every_row_is_right():
    scene = BY_NAME["origin"].make()
    corners = np.array(clipped(scene, 0.0, 0.0, 4.0))
    inside = corners.mean(axis=0)
    assert np.all(scene.y * (scene.X @ inside) > 0)
    assert np.all(scene.y[:, None] * (scene.X @ corners.T) >= -1e-9)
    assert len(clipped(BY_NAME["xor"].make(), 0.0, 0.0, 4.0)) < 3


def test_the_optimum_is_a_corner_of_the_polyhedron():
    scene = BY_NAME["separable"].make()
    model = SVC(C=float("inf")).fit(scene.X, scene.y)
    optimum = np.append(model.coef_[0], model.intercept_)
    faces = polyhedron_faces(scene, 1.0, np.array([4.0, 4.0, 4.0]))
    corners = np.vstack([face["corners"] for face in faces])
    assert np.min(np.linalg.norm(corners - optimum, axis=1)) < 1e-6
    assert {face["row"] for face in faces} >= set(np.flatnonzero(model.alpha_).tolist())
    for face in faces:
        if face["row"] >= 0:
            rows = np.asarray(face["corners"])
            product = scene.y[face["row"]] * (rows[:, :2] @ scene.X[face["row"]] + rows[:, 2])
            assert product == pytest.approx(np.ones(len(rows)), abs=1e-6)
    assert polyhedron_faces(BY_NAME["xor"].make(), 1.0, np.array([4.0, 4.0, 4.0])) == []


def test_the_risk_is_the_librarys():
    scene = BY_NAME["overlapping"].make()
    U = np.random.default_rng(0).normal(size=(20, 3))
    problem = soft_problem(scene)
    assert values_at(scene, U) == pytest.approx([problem.primal(u[:2], float(u[2])) for u in U], rel=1e-12)
    risk = values_at(scene.changed({"algorithm": "perceptron"}), U)
    direct = [np.sum(np.maximum(0, -scene.y * (scene.X @ u[:2] + u[2]))) for u in U]
    assert risk == pytest.approx(direct, rel=1e-12)


def test_paths_and_step_sizes_come_from_the_solvers():
    scene = BY_NAME["origin"].make()
    paths = compared_paths(scene)
    assert [path["ended"] for path in paths] == [True, True, True]
    for path in paths:
        w = np.array(path["path"][-1])
        assert np.all(scene.y * (scene.X @ w[:2] + w[2]) > 0)
    counts = step_sizes(scene)
    place = int(np.argmin(np.abs(np.array(counts["sizes"]) - 1.0)))
    model = Perceptron(algorithm="gradient", bias="none", step=counts["sizes"][place], start=0).fit(
        scene.X, scene.y
    )
    assert counts["steps"][place] == model.n_updates_


def test_the_verdict_is_that_of_separability():
    scene = BY_NAME["xor"].make()
    answers = Answers(scene)
    direct = separability(scene.X, scene.y)
    assert answers.verdict.rows.tolist() == direct.rows.tolist()
    assert answers.verdict_proof.proved
