// The risk as a surface: cells of the grid, painted from the farthest to the nearest, and its heights beside it.

import { show } from "./dom.js";
import { ticks } from "./scale.js";

// From deep to high, readable by everyone (a lightness ramp of blue to yellow, after cividis).
const RAMP = [[0, 32, 77], [45, 68, 110], [96, 104, 115], [141, 141, 121], [192, 181, 107], [255, 234, 70]];

export function shade(share) {
  const place = Math.min(0.999, Math.max(0, share)) * (RAMP.length - 1), k = Math.floor(place), t = place - k;
  const mixed = RAMP[k].map((value, c) => Math.round(value + t * (RAMP[k + 1][c] - value)));
  return `rgb(${mixed.join(" ")})`;
}

const FLOOR = -0.6; // of the box, whose other sides are at 1

// Of each path: the colour of its line and of the rim that sets it off.
const LINES = [["#000", "#fff"], ["#ff9bd5", "#000"], ["#6ff0c4", "#000"]];

export function drawSurface(camera, risk, values, tint, paths) {
  const paper = camera.paper(), n = risk.points, [across, up] = risk.reach;
  let most = 0, least = Infinity;
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const height = (value) => (most > least ? (-2 * FLOOR * (value - least)) / (most - least) + FLOOR : 0);
  const place = (i) => (2 * i) / (n - 1) - 1;
  const cells = [];
  for (let j = 0; j + 1 < n; j++) {
    for (let i = 0; i + 1 < n; i++) {
      const k = j * n + i;
      const around = [k, k + 1, k + n + 1, k + n].map((at) => values[at]);
      const corners = [[place(i), place(j)], [place(i + 1), place(j)], [place(i + 1), place(j + 1)], [place(i), place(j + 1)]]
        .map(([u, v], c) => camera.see([u, v, height(around[c])]));
      const mean = (around[0] + around[1] + around[2] + around[3]) / 4;
      cells.push({ corners, depth: corners[0][2] + corners[2][2], share: Math.sqrt((mean - least) / (most - least || 1)) });
    }
  }
  for (const line of risk.creases || []) {
    for (let k = 0; k + 1 < line.length; k++) {
      const ends = [line[k], line[k + 1]].map(([u, v, value]) => camera.see([u / across, v / up, height(value) + 0.004]));
      cells.push({ ends, depth: ends[0][2] + ends[1][2] + 0.04 }); // just in front of the cells it lies on
    }
  }
  cells.sort((a, b) => a.depth - b.depth);
  for (const { corners, ends, share } of cells) {
    paper.beginPath();
    paper.lineWidth = ends ? 1.3 : 0.7;
    paper.fillStyle = paper.strokeStyle = ends ? "rgb(255 255 255 / 0.75)" : shade(share);
    (corners || ends).forEach(([x, y], k) => (k === 0 ? paper.moveTo(x, y) : paper.lineTo(x, y)));
    if (corners) {
      paper.closePath();
      paper.fill();
    }
    paper.stroke();
  }
  drawScales(camera, paper, risk.reach, [least, most], height, risk.level ? "primal" : "R", tint);
  paths.forEach(({ path, along }, k) => {
    const places = path.map(([u, v], step) => [u / across, v / up, Math.min(height(along[step]), 0.7) + 0.02])
      .filter(([u, v]) => Math.abs(u) <= 1 && Math.abs(v) <= 1);
    if (places.length === 0) return;
    const [colour, rim] = LINES[k], last = places[places.length - 1];
    paper.strokeStyle = rim;
    paper.lineWidth = 4;
    camera.line(paper, places);
    paper.strokeStyle = colour;
    paper.lineWidth = 2;
    camera.line(paper, places);
    paper.fillStyle = rim;
    camera.dot(paper, last, 8);
    paper.fillStyle = k === 0 ? tint.accent : colour;
    camera.dot(paper, last, 6);
  });
}

// Numbers along three edges of the box: w₁ and w₂ along those in front, the height along the one farthest to the left.
function drawScales(camera, paper, [across, up], [least, most], height, name, tint) {
  const size = Math.max(11, camera.width / 62), low = (place) => camera.see([...place, FLOOR])[1];
  const front = low([0, -1]) > low([0, 1]) ? -1 : 1, side = low([-1, 0]) > low([1, 0]) ? -1 : 1;
  const left = [[-1, -1], [-1, 1], [1, -1], [1, 1]].sort((p, q) => camera.see([...p, 0])[0] - camera.see([...q, 0])[0])[0];
  const edges = [
    { name: "w₁", values: ticks(-across, across, 4), at: (value) => [value / across, front, FLOOR], ends: [[-1, front, FLOOR], [1, front, FLOOR]], down: 1.4 },
    { name: "w₂", values: ticks(-up, up, 4), at: (value) => [side, value / up, FLOOR], ends: [[side, -1, FLOOR], [side, 1, FLOOR]], down: 1.4 },
    { name, values: most > least ? ticks(least, most, 4) : [], at: (value) => [...left, height(value)], ends: [[...left, FLOOR], [...left, -FLOOR]], down: 0.35 },
  ];
  paper.lineJoin = "round";
  for (const { name: text, values, at, ends, down } of edges) {
    const upright = down < 1, label = (words, x, y, ink) => {
      paper.lineWidth = 3;
      paper.strokeStyle = tint.plot;
      paper.strokeText(words, x, y);
      paper.fillStyle = ink;
      paper.fillText(words, x, y);
    };
    paper.strokeStyle = tint.soft;
    paper.lineWidth = 1.2;
    camera.line(paper, ends);
    paper.textAlign = upright ? "end" : "center";
    paper.font = `${size}px ${tint.font}`;
    for (const value of values) {
      const [x, y] = camera.see(at(value));
      paper.fillStyle = tint.soft;
      paper.fillRect(x - 2, y - 2, 4, 4);
      label(show(value, 3), x - (upright ? 6 : 0), y + down * size, tint.soft);
    }
    const [x, y] = upright ? camera.see([...left, 0.75]) : camera.see(ends[0].map((value, k) => (k === 2 ? value : (value + ends[1][k]) / 2)));
    paper.textAlign = "center";
    paper.font = `600 ${Math.max(13, camera.width / 48)}px ${tint.font}`;
    label(text, x, y + (upright ? 0 : 2.7 * size), tint.ink);
  }
}
