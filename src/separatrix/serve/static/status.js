// The status page: asks the server every two seconds and draws what it says. Nothing comes from elsewhere.

const $ = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
let token = sessionStorage.getItem("separatrix-token") ?? "";
let model = decodeURIComponent(location.hash.slice(1));
let timer = 0;

async function ask(path) {
  const reply = await fetch(path, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  if (reply.status === 401 || reply.status === 403) throw new Error("token");
  if (!reply.ok) throw new Error((await reply.json()).error ?? `The server answered ${reply.status}.`);
  return reply.json();
}

function say(text, kind = "") {
  const state = $("state");
  if (state.textContent !== text) state.textContent = text;
  state.dataset.kind = kind;
}

const percent = (share, digits = 2) => (share === null ? "–" : `${(100 * share).toFixed(digits)} %`);
const short = (value) => (value >= 1e6 ? `${(value / 1e6).toPrecision(3)} M` : value >= 1e4 ? `${(value / 1e3).toPrecision(3)} k` : number.format(Math.round(value)));

function fill(id, parts) {
  $(id).replaceChildren(...parts);
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function tile(value, name) {
  const box = element("div");
  box.append(element("b", value), element("span", name));
  return box;
}

const HEIGHT = 250, LEFT = 52, RIGHT = 14, TOP = 14, BOTTOM = 30;

function ticks(most) {
  if (!(most > 0)) return [0];
  const raw = most / 4, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((k) => k >= raw);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

// lines: {points: [[x, y], ...], kind, name, dashed}; band: [[x, low, high], ...]
function chart(id, { lines, band = [], label, format, most }) {
  const WIDTH = Math.max(260, $(id).clientWidth); // drawn in pixels of the screen, so that its letters stay readable
  const end = Math.max(1, ...lines.flatMap((line) => line.points.map((point) => point[0])));
  const x = (value) => LEFT + ((WIDTH - LEFT - RIGHT) * value) / end;
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.min(value, most)) / (most || 1);
  const parts = [];
  for (const tick of ticks(most)) {
    parts.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}"/>`);
    parts.push(`<text x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">${format(tick)}</text>`);
  }
  for (const tick of ticks(end)) {
    parts.push(`<text x="${x(tick)}" y="${HEIGHT - 10}" text-anchor="${tick > 0.93 * end ? "end" : "middle"}">${short(tick)}</text>`);
  }
  if (band.length > 1) {
    const upper = band.map(([at, , high]) => `${x(at)},${y(high)}`), lower = band.map(([at, low]) => `${x(at)},${y(low)}`).reverse();
    parts.push(`<path class="band" d="M${[...upper, ...lower].join("L")}Z"/>`);
  }
  for (const { points, kind, name, dashed } of lines) {
    if (!points.length) continue;
    parts.push(`<path class="${kind}${dashed ? " dashed" : ""}" d="M${points.map(([at, value]) => `${x(at)},${y(value)}`).join("L")}"/>`);
    const [, value] = points[points.length - 1];
    const above = y(value) - 8 < TOP + 8 ? y(value) + 18 : y(value) - 8;
    parts.push(`<text class="name ${kind}" x="${WIDTH - RIGHT - 4}" y="${above}" text-anchor="end">${name}</text>`);
  }
  parts.push(`<text x="${WIDTH - RIGHT}" y="${HEIGHT - BOTTOM - 6}" text-anchor="end">rows</text>`);
  $(id).innerHTML = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">${parts.join("")}</svg>`;
  $(id).firstChild.setAttribute("aria-label", label);
}

function age(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 86400 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86400)} days ago`;
}

function headline(stats) {
  const latency = stats.latency ?? {};
  const tail = (action) => (latency[action]?.p99 ? `≤ ${1000 * latency[action].p99} ms` : "–");
  const tiles = stats.learns
    ? [
        tile(number.format(stats.rows_learned), "rows learnt"),
        tile(number.format(stats.mistakes), "mistakes before learning"),
        tile(percent(stats.mistake_rate), "mistake rate"),
        tile(tail("learn"), "99 of 100 learnt within"),
        tile(tail("infer"), "99 of 100 predicted within"),
      ]
    : [tile(number.format(stats.columns), "columns"), tile(number.format(stats.classes.length), "classes"), tile(tail("infer"), "99 of 100 predicted within")];
  fill("headline", tiles);
}

function charts(stats, history) {
  const points = history.points.map((p) => [...p]);
  points.push([stats.rows_logged, stats.mistakes, stats.updates, stats.bound, ...stats.mistake_rate_interval]);
  const updates = points.map((p) => [p[0], p[2]]), bounds = points.filter((p) => p[3] !== null).map((p) => [p[0], p[3]]);
  const most = 1.08 * Math.max(1, ...updates.map((p) => p[1]), ...bounds.map((p) => p[1]));
  chart("mistakes", {
    lines: [{ points: bounds, kind: "minus", name: "bound", dashed: true }, { points: updates, kind: "plus", name: "updates" }],
    label: `${stats.updates} updates of the model in its life, at most ${stats.bound === null ? "unknown" : Math.floor(stats.bound)} by the theorem.`,
    format: short,
    most,
  });
  $("mistakes-note").textContent = stats.bound === null
    ? `${number.format(stats.updates)} updates in its life; the theorem gives no bound here.`
    : `${number.format(stats.updates)} updates in its life; by the theorem its rows can have caused at most ${number.format(Math.floor(stats.bound))}. The bound falls where a better comparator was found.`;
  const rates = points.filter((p) => p[0] > 0);
  const [low, high] = stats.mistake_rate_interval;
  const top = Math.min(1, 1.3 * Math.max(0.01, ...rates.slice(Math.floor(rates.length / 3)).map((p) => Math.min(p[5], 3 * (p[1] / p[0]) + 0.02))));
  chart("rate", {
    lines: [{ points: rates.map((p) => [p[0], p[1] / p[0]]), kind: "plus", name: "rate" }],
    band: rates.map((p) => [p[0], p[4], p[5]]),
    label: `Mistake rate ${percent(stats.mistake_rate)}, between ${percent(low)} and ${percent(high)}.`,
    format: (value) => `${+(100 * value).toPrecision(3)} %`,
    most: top,
  });
  $("rate-note").textContent = `Between ${percent(low)} and ${percent(high)} with 95 % confidence at every moment at once` +
    (stats.drift ? "; it has risen: the latest rows are worse than all before, beyond chance." : "; no rise beyond chance in the latest rows.");
}

function details(stats) {
  const facts = [
    ["acknowledged rows", number.format(stats.rows_logged)],
    ["entry", number.format(stats.position)],
    ["chain", stats.chain.slice(0, 32) + "…"],
    ["last learnt", stats.last_learned ? age(Date.now() / 1000 - stats.last_learned) : "not since the start"],
    ["waiting", `${number.format(stats.queue.requests)} requests`],
    ["labels that came later", stats.delayed_labels.rows ? `${number.format(stats.delayed_labels.rows)}, ${number.format(stats.delayed_labels.mistakes)} of them answered wrongly` : "none"],
    ["answers", stats.serving === "online" ? "the perceptron, as it learns" : `refit ${stats.serving}`],
  ];
  fill("log", facts.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  const proved = stats.versions.filter((version) => version.proved).at(-1);
  const parts = [];
  if (stats.refit.running) parts.push(element("p", "A refit is under way.", { class: "note" }));
  if (proved) {
    const [first, last] = proved.rows;
    const list = element("dl");
    const rate = proved.rows_since ? `${number.format(proved.rows_since.mistakes)} of ${number.format(proved.rows_since.rows)}` : "none yet";
    for (const [name, value] of [
      ["refit", `${proved.version}, proved ${age(Date.now() / 1000 - proved.at)}`],
      ["rows", `${number.format(first)} to ${number.format(last - 1)}`],
      ["relative gap", proved.gap > 0 ? proved.gap.toExponential(1) : "below the last digit of a float64"],
      ["mistakes since", rate],
    ]) list.append(element("dt", name), element("dd", value));
    const base = `${location.origin}/v2/models/${encodeURIComponent(stats.name)}`;
    const curl = token ? 'curl -s -H "Authorization: Bearer $TOKEN"' : "curl -s";
    const how = `${curl} '${base}/certificate' > proof.json\n${curl} '${base}/rows?first=${first}&last=${last}' > rows.csv\nseparatrix verify proof.json rows.csv --label y`;
    parts.push(list, element("p", proved.statement, { class: "note statement" }), element("p", "Anyone may check it:", { class: "note" }), element("pre", how, { tabindex: "0", "aria-label": "Commands that check the certificate" }));
  } else {
    const last = stats.refit.last;
    parts.push(element("p", last && !last.proved ? `The last refit was not proved: ${last.why}` : "No refit yet. POST …/refit fits an SVC to the logged rows and lets it answer once it is proved.", { class: "note" }));
  }
  fill("refit", parts);
}

function wrongRows(rows) {
  fill("wrong", rows.map((row) => {
    const line = element("tr");
    const values = row.x.slice(0, 8).map((value) => +value.toPrecision(4)).join(", ") + (row.x.length > 8 ? ", …" : "");
    for (const text of [number.format(row.row), age(Date.now() / 1000 - row.at), row.predicted, row.label, values]) line.append(element("td", String(text)));
    return line;
  }));
  if (!rows.length) {
    const line = element("tr");
    line.append(element("td", "none", { colspan: "5" }));
    fill("wrong", [line]);
  }
}

async function refresh() {
  clearTimeout(timer);
  try {
    const { models } = await ask("v2/models");
    if (!models.some((found) => found.name === model)) model = (models.find((found) => found.learns) ?? models[0]).name;
    $("choice").hidden = models.length < 2;
    const names = models.map((found) => found.name);
    if ([...$("models").options].map((option) => option.value).join("\n") !== names.join("\n")) {
      fill("models", names.map((name) => element("option", name, { value: name })));
    }
    $("models").value = model;
    const path = `v2/models/${encodeURIComponent(model)}`;
    const stats = await ask(`${path}/stats`);
    $("login").hidden = true;
    headline(stats);
    $("learning").hidden = !stats.learns;
    $("static").hidden = stats.learns;
    if (stats.learns) {
      const [history, wrong] = await Promise.all([ask(`${path}/history`), ask(`${path}/wrong`)]);
      charts(stats, history);
      details(stats);
      wrongRows(wrong.rows);
    } else {
      $("static").textContent = `${model} is served as it is in its file; it does not learn.`;
    }
    document.title = `${model} · separatrix serve`;
    if (stats.problem) say(stats.problem, "bad");
    else if (stats.drift) say("The mistake rate has risen.", "bad");
    else say("Everything acknowledged is durable.", "good");
    document.body.dataset.ready = "yes";
  } catch (error) {
    if (error.message === "token") {
      $("login").hidden = false;
      $("learning").hidden = true;
      $("headline").replaceChildren();
      say("No numbers without a token.");
      document.body.dataset.ready = "token";
      return;
    }
    say(error instanceof TypeError ? "The server does not answer." : error.message, "bad");
  }
  timer = setTimeout(refresh, 2000);
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  sessionStorage.setItem("separatrix-token", token);
  refresh();
});
$("models").addEventListener("change", () => {
  model = $("models").value;
  location.hash = encodeURIComponent(model);
  refresh();
});
refresh();
