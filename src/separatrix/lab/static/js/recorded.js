// The lab without a server: a recording for a transport, and the second checker for its certificates.

import { check } from "./checker/check.js";
import { h, write } from "./draw/dom.js";
import { loadState } from "./talk/link.js";
import { readRecording, RecordedTransport } from "./talk/recorded.js";
import { mount } from "./mount.js";

const CHECKED = { proved: "✓ Certificate checked in this page: proved.", conditional: "◐ Certificate checked in this page: proved on a condition.",
  rejected: "✗ Certificate checked in this page: rejected." };
const root = document.getElementById("lab");

async function start() {
  const transport = new RecordedTransport(readRecording(globalThis.recording));
  const { state, steps, title, words, link, look } = transport;
  const app = await mount(root, transport, document);
  app.title(title);
  app.link = { now: () => link };
  app.root.append(footer(app, words.about));
  await loadState(app, { ...state, step: steps[transport.near(transport.begin)] });
  if (look) {
    await app.tabs.shown.restore?.(look); // how a stage looks at its picture
    await app.client.act("look");
  }
  root.app = app;
  root.dataset.ready = "true";
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark("first frame"); // the first picture is seen
    checkAll(app, transport);
  }));
}

// What a page without a solver cannot do, and how to get one that can.
function footer(app, about) {
  const here = h("a", { href: app.link.now(), target: "_blank", rel: "noopener", text: "open this scene there" });
  app.checked = h("span", { class: "check", role: "status" });
  return h("footer", { class: "about" }, app.checked, ` ${about} To change points or settings: `, h("code", { text: "pip install 'separatrix[lab]'" }), ", start ",
    h("code", { text: "separatrix lab" }), " and ", here, ".");
}

// Every certificate against the points on this page, in whole numbers, by the checker that shares no line with Python's.
function checkAll(app, { scene, certificates }) {
  const data = { columns: 2, X: scene.points.map(([x1, x2]) => [x1, x2]), labels: "number", y: scene.points.map(([, , label]) => String(label)) };
  const verdict = (text) => (text ? check(new TextEncoder().encode(text), data) : null);
  app.client.checks = { verdict: verdict(certificates.verdict), run: verdict(certificates.run) };
  app.panel.draw();
  const found = [app.client.checks.verdict, app.client.checks.run].filter(Boolean).map(({ outcome }) => outcome);
  const worst = ["rejected", "conditional", "proved"].find((outcome) => found.includes(outcome));
  write(app.checked, CHECKED[worst]); // also where the panel is out of sight
  app.checked.classList.toggle("failed", worst === "rejected");
  root.dataset.checked = "true";
}

start().catch((error) => { write(root, `This recording cannot be shown: ${error.message}`); });
