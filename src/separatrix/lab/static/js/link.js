// The state of the page as a link: the scene, the view and the step, in the part of the address behind the #.

export function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state in a link; null where there is none, or it cannot be read.
export function decode(hash) {
  const text = hash.replace(/^#/, "");
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return state && typeof state === "object" && state.scene ? state : null;
  } catch {
    return null;
  }
}

// Keeps the address up to date, a moment after the last change.
export class LinkKeeper {
  constructor(read) {
    this.read = read;
    this.timer = null;
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 250);
  }

  now() {
    clearTimeout(this.timer);
    history.replaceState(null, "", `#${encode(this.read())}`);
    return location.href;
  }
}
