// Axes of a box that is looked into: each from its own low to its own high value, numbered, through one common place.
// `at(values)` is a place of the camera's cube; units are the same along all three axes.

import { show } from "./dom.js";
import { ticks } from "./scale.js";

export class Corner {
  // `ends` are [low, high] of each axis, `through` the values where they meet.
  constructor(ends, through = [0, 0, 0]) {
    this.ends = ends;
    this.through = through;
    const middle = ends.map(([low, high], k) => low + (k === 2 ? 0.36 : 0.5) * (high - low)), half = 0.38 * Math.max(...ends.map(([low, high]) => high - low));
    this.at = (values) => values.map((value, k) => (value - middle[k]) / half);
  }

  place(axis, value) { return this.at(this.through.map((other, k) => (k === axis ? value : other))); }

  lines(camera, paper, tint) {
    paper.strokeStyle = tint.soft;
    paper.lineWidth = Math.max(1.5, camera.width / 600);
    this.ends.forEach(([low, high], k) => camera.line(paper, [this.place(k, low), this.place(k, high)]));
  }

  // Numbers and names last: they are read even where something is in front of them.
  texts(camera, paper, names, tint) {
    const size = Math.max(11, camera.width / 62);
    const write = (text, [x, y]) => { paper.strokeText(text, x, y); paper.fillText(text, x, y); };
    Object.assign(paper, { lineJoin: "round", textAlign: "center", strokeStyle: tint.plot, fillStyle: tint.soft, font: `${size}px ${tint.font}` });
    this.ends.forEach(([low, high], k) => {
      const away = k === 2 ? [-0.9 * size, 0.35 * size] : [0, 1.3 * size];
      paper.lineWidth = 3;
      for (const value of ticks(low, high, 4)) {
        const [x, y] = camera.see(this.place(k, value));
        if (value === this.through[k] && k > 0) continue; // where they meet one number is enough
        paper.fillRect(x - 1.5, y - 1.5, 3, 3);
        write(show(value, 3), [x + away[0], y + away[1]]);
      }
    });
    Object.assign(paper, { font: `600 ${Math.max(13, camera.width / 48)}px ${tint.font}`, fillStyle: tint.ink, lineWidth: 4 });
    names.forEach((name, k) => {
      const [low, high] = this.ends[k], [x, y] = camera.see(this.place(k, high + 0.1 * (high - low)));
      const half = paper.measureText(name).width / 2 + 4; // a name is never cut off
      write(name, [Math.min(camera.width - half, Math.max(half, x)), Math.max(1.4 * size, y + 4)]);
    });
  }
}
