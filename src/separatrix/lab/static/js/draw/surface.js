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

// Of each path: the colour of its line and of the rim that sets it off.
const LINES = [["#000", "#fff"], ["#ff9bd5", "#000"], ["#6ff0c4", "#000"]];

export function drawSurface(camera, risk, values, tint, paths) {
  const paper = camera.paper(), n = risk.points, [across, up] = risk.reach;
  let most = 0, least = Infinity;
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const height = (value) => (most > least ? (1.5 * (value - least)) / (most - least) - 0.75 : 0);
  const place = (i) => (2 * i) / (n - 1) - 1;
  camera.axes(paper, tint);
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
  camera.scale(paper, [across, up], tint);
  drawHeights(camera, paper, [least, most], height, risk.level ? "primal" : "R", tint);
  camera.names(paper, ["w₁", "w₂"], tint);
  paths.forEach(({ path, along }, k) => {
    const places = path.map(([u, v], step) => [u / across, v / up, Math.min(height(along[step]), 0.85) + 0.02])
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

// Numbers along the edge of the cube that is farthest to the left: there nothing stands before them.
function drawHeights(camera, paper, [least, most], height, name, tint) {
  if (!(most > least)) return;
  const corner = [[-1, -1], [-1, 1], [1, -1], [1, 1]].sort((p, q) => camera.see([...p, 0])[0] - camera.see([...q, 0])[0])[0];
  const size = Math.max(11, camera.width / 62);
  paper.strokeStyle = tint.soft;
  paper.lineWidth = 1.2;
  camera.line(paper, [[...corner, -0.75], [...corner, 0.8]]);
  paper.font = `${size}px ${tint.font}`;
  paper.textAlign = "end";
  for (const value of ticks(least, most, 4)) {
    const [x, y] = camera.see([...corner, height(value)]);
    paper.fillStyle = tint.soft;
    paper.fillRect(x - 4, y - 0.75, 8, 1.5);
    paper.fillText(show(value, 3), x - 7, y + 0.35 * size);
  }
  const [x, y] = camera.see([...corner, 0.9]);
  paper.fillStyle = tint.ink;
  paper.font = `600 ${Math.max(13, camera.width / 48)}px ${tint.font}`;
  paper.textAlign = "center";
  paper.fillText(name, x, y);
}
