// Light or dark: as the system has it until the reader chooses, then as chosen, also next time.

const KEY = "separatrix-lab-theme";

export function setTheme(root, theme) {
  root.dataset.theme = theme;
  try { localStorage.setItem(KEY, theme); } catch { /* a browser may keep nothing */ }
}

export function keptTheme(root) {
  let kept = null;
  try { kept = localStorage.getItem(KEY); } catch { /* likewise */ }
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
}

export function flipTheme(root) {
  const dark = getComputedStyle(root).getPropertyValue("--dark").trim() === "1";
  setTheme(root, dark ? "light" : "dark");
}
