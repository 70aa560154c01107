// The certificate panel: the verdict, what is proved of the run, and every row's share. All numbers are the solver's.

import { Bars } from "./bars.js";
import { children, h, set, show, write } from "../draw/dom.js";
import { GapChart } from "./gapchart.js";
import { save } from "../controls/save.js";

export class Panel {
  constructor(client) {
    this.client = client;
    this.lit = null; // the line of the row that is pointed at
    this.badge = h("span", { class: "badge" });
    this.sentence = h("p", { class: "verdict-sentence" });
    this.check = h("p", { class: "check" });
    this.weights = h("p", { class: "weights" });
    this.run = h("div", { class: "run-proof" });
    this.counts = makeCounts();
    this.updates = h("div", { class: "updates" }, ...this.counts.parts);
    this.stepSize = h("p", { class: "note step-size" });
    this.gap = new GapChart();
    this.bars = new Bars(client);
    this.table = h("tbody", {});
    this.rows = h("details", { class: "rows", ontoggle: () => this.drawTable() }, h("summary", { text: "Point by point" }),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Point by point" },
        h("table", {}, h("thead", {}, h("tr", {}, ["point", "y", "y·f(x)", "α", "ξ", "α or slack"].map((name) => h("th", { scope: "col", text: name })))), this.table)));
    this.download = h("button", { class: "small", text: "certificate (JSON)", title: "Download the certificate: separatrix verify checks it", onclick: () => this.save() });
    this.body = h("div", { class: "panel-body" },
      h("div", { class: "verdict" }, this.badge, this.sentence), this.weights, this.check, this.run, this.updates, this.stepSize,
      this.gap.element, this.bars.element, this.rows, this.download);
    this.empty = h("p", { class: "empty-panel", text: "The verdict appears as soon as both classes have a point." });
    this.element = h("section", { class: "card panel", "aria-labelledby": "panel-title" },
      h("header", {}, h("h2", { id: "panel-title", text: "certificate" })), this.empty, this.body);
    client.onhover(() => this.light());
  }

  draw() {
    const { panel, run, scene } = this.client.state;
    const there = Boolean(run.ready && panel);
    this.empty.hidden = there;
    this.body.hidden = !there;
    if (!there) return;
    this.drawVerdict(panel.verdict);
    this.drawRun(panel, run);
    this.drawUpdates(panel.updates);
    this.stepSize.hidden = panel.step_size === "";
    write(this.stepSize, panel.step_size);
    this.gap.draw(panel.objective, run.void);
    this.bars.draw(panel.rows, scene);
    this.drawTable();
    this.light();
  }

  drawVerdict(verdict) {
    set(this.badge, { class: `badge ${verdict.kind}` });
    write(this.badge, verdict.kind);
    write(this.sentence, verdict.sentence);
    const pending = verdict.proved === null;
    const margin = !pending && verdict.kind === "separable" ? ` Widest margin ${show(verdict.margin[0], 6)}.` : "";
    const here = this.inPage("verdict");
    write(this.check, pending ? "Certificates follow when you let go."
      : (here ? here.text : verdict.proved ? "✓ Checked in exact arithmetic." : `✗ ${verdict.reason}`) + margin);
    this.check.classList.toggle("failed", verdict.proved === false || Boolean(here && here.failed));
    this.check.classList.toggle("waiting", pending);
    this.weights.hidden = verdict.rows.length === 0;
    const shown = verdict.rows.map((row, k) => `λ${subscript(row + 1)} ${fraction(verdict.weights[k], verdict.shares[k])}`);
    const row = this.client.state.scene.bias === "none" ? "yx" : "y(x, 1)";
    write(this.weights, `With these weights the vectors ${row} of the highlighted points add up to 0 exactly: ${shown.join(", ")}.`);
  }

  // What the checker in a page without a solver said of a certificate; null where Python has checked it.
  inPage(which) {
    if (!this.client.fixed) return null;
    const found = this.client.checks && this.client.checks[which];
    if (!found) return { text: this.client.checks ? "" : "The certificate is being checked in this page.", claim: "", failed: false };
    const { outcome, reason } = found, failed = outcome === "rejected";
    return { failed, claim: reason, text: failed ? `✗ Checked in this page: rejected. ${reason}`
      : outcome === "proved" ? "✓ Checked in this page, in exact arithmetic: proved." : "◐ Checked in this page: proved on a condition." };
  }

  drawRun(panel, run) {
    const { proof } = panel, here = this.inPage(this.client.checks && this.client.checks.run ? "run" : "verdict");
    this.run.hidden = !proof;
    if (proof) {
      this.run.replaceChildren(
        h("details", {}, h("summary", { text: "The claim, word for word" }), h("p", { class: "claim", text: here && here.claim ? here.claim : proof.claim }),
          h("p", { class: "note", text: CLAIM[proof.kind] || "" })),
        here ? h("p", { class: here.failed ? "check failed" : "check", text: here.failed ? here.text : `Certificate “${proof.kind}”: ${here.text}` })
          : h("p", { class: proof.proved ? "check" : "check failed", text: proof.proved ? `✓ Certificate “${proof.kind}” checked in exact arithmetic.` : `${proof.conditional ? "◐" : "✗"} ${proof.reason}` }));
    }
  }

  drawUpdates(updates) {
    this.updates.hidden = !updates;
    if (!updates) return;
    const { count, bound } = updates, { number, most, meter, note } = this.counts;
    write(number, String(count));
    write(most, bound === null ? (count === 1 ? " update" : " updates") : ` of at most ${show(Math.floor(bound), 7)}`);
    meter.hidden = bound === null;
    write(note, updates.says);
    if (bound === null) return;
    set(meter, { "aria-valuemax": Math.floor(bound), "aria-valuenow": count });
    meter.firstChild.style.width = `${Math.min(100, (100 * count) / bound)}%`;
  }

  drawTable() {
    if (!this.rows.open) return;
    const { panel, scene, x } = this.client.state;
    if (!panel || !x) return;
    const { alpha, slack, slackness } = panel.rows;
    const lines = scene.points.map(([, , y], row) => [row + 1, y > 0 ? "+1" : "−1", show(x.functional[row]), alpha ? show(alpha[row]) : "–",
      slack ? show(slack[row], 3) : "–", this.slackWord(alpha ? alpha[row] : null, slack && slack[row], slackness && slackness[row])]);
    children(this.table, lines, (row) => h("tr", { "data-row": row, onpointerenter: () => this.client.hover(row), onpointerleave: () => this.client.hover(null) },
      ...Array.from({ length: 6 }, () => h("td"))),
    (line, cells) => cells.forEach((text, k) => write(line.children[k], String(text))));
  }

  // Complementary slackness of one row: off the margin with α = 0, on it, or using slack with α at its limit.
  slackWord(alpha, slack, residual) {
    if (alpha === null) return "–";
    if (residual === null || residual === undefined) return alpha > 0 ? "used" : "not used";
    if (residual > 1e-6) return `off by ${show(residual, 2)}`;
    if (!(alpha > 0)) return "✓ off";
    return slack > 1e-9 ? "✓ slack" : "✓ margin";
  }

  light() {
    const { hovered } = this.client;
    const line = hovered === null ? null : this.table.children[hovered];
    if (this.lit && this.lit !== line) this.lit.classList.remove("lit");
    if (line) line.classList.add("lit");
    this.lit = line;
    this.bars.light();
  }

  async save() {
    const { certificate } = await this.client.act("certificate");
    if (!certificate) return;
    save("certificate.json", JSON.stringify(certificate), "application/json");
  }
}

// Why a claim's numbers may differ from those beside it.
const CLAIM = { optimal: "The gap claimed here allows for every rounding error in computing it; the gap above is the plain difference." };

// Updates so far, the most there can be, and why.
function makeCounts() {
  const number = h("output"), most = h("span"), note = h("p", { class: "note" });
  const meter = h("div", { class: "meter", role: "meter", "aria-label": "updates against the bound", "aria-valuemin": "0" }, h("i"));
  return { number, most, note, meter, parts: [h("h3", { text: "updates against the bound" }), h("p", { class: "big" }, number, most), meter, note] };
}

// Exact where it is short, else rounded.
function fraction(text, value) {
  return text.length <= 9 ? `= ${text}` : `≈ ${show(value, 3)}`;
}

function subscript(whole) {
  return String(whole).split("").map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");
}
