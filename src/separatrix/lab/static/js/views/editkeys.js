// Points by keyboard: a cross that adds them, a chosen one that moves.

const REST = 400; // milliseconds after a key until its point counts as at rest
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const CHANGES = new Set(["Enter", "Delete", "Backspace"]);

export function editKey(editing, event) {
  const { points } = editing.client.state.scene, { plane } = editing.view.plot;
  const step = plane.half * (event.shiftKey ? 0.1 : 0.02);
  const { chosen } = editing;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (editing.client.fixed && (CHANGES.has(event.key) || (chosen !== null && (ARROWS[event.key] || event.key.toLowerCase() === "f")))) return;
  if (ARROWS[event.key]) {
    const [dx, dy] = ARROWS[event.key];
    if (chosen !== null) {
      const [x1, x2] = editing.at(chosen);
      editing.place(chosen, [x1 + dx * step, x2 + dy * step], editing.keyGrab, event.timeStamp);
      clearTimeout(editing.rest);
      editing.rest = setTimeout(() => editing.client.look(), REST);
    } else {
      const [left, right, low, high] = plane.window;
      editing.cross = [clamp(editing.cross[0] + dx * step, left, right), clamp(editing.cross[1] + dy * step, low, high)];
    }
    editing.draw();
  } else if (event.key === "Enter") {
    if (chosen === null) editing.add(editing.cross);
    else editing.choose(null);
  } else if ((event.key === "]" || event.key === "[") && points.length > 0) {
    const way = event.key === "]" ? 1 : -1;
    editing.keyGrab = editing.client.grab();
    editing.choose(chosen === null ? (way > 0 ? 0 : points.length - 1) : (chosen + way + points.length) % points.length);
  } else if ((event.key === "Delete" || event.key === "Backspace") && chosen !== null) {
    editing.remove(chosen);
  } else if (event.key.toLowerCase() === "f" && chosen !== null) {
    const [x1, x2, label] = points[chosen];
    editing.client.act("move", { row: chosen, point: [x1, x2, -label] });
  } else if (event.key === "+" || event.key === "=" || event.key === "-") {
    plane.zoom(plane.width / 2, plane.height / 2, event.key === "-" ? 1.25 : 0.8, 1e-3, 1e6);
    editing.view.looked();
  } else if (event.key.toLowerCase() === "n") {
    editing.view.numberAll();
  } else if (event.key === "Escape" && chosen !== null) {
    editing.choose(null);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
