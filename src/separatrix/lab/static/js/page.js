// The page as `separatrix lab` serves it: a WebSocket for a transport, and the state in the address.

import { SocketTransport } from "./transport.js";
import { decode, LinkKeeper } from "./link.js";
import { mount } from "./mount.js";

const root = document.getElementById("lab");
const transport = new SocketTransport(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/session`);
const app = await mount(root, transport, document);
const { client } = app;

app.readState = () => {
  const { scene, run } = client.state;
  const state = { scene, tab: app.tabs.name };
  if (run.ready && !run.over) state.step = run.step;
  return state;
};
app.loadState = async (state) => {
  if (typeof state.tab === "string") app.tabs.open(state.tab);
  const reply = await client.act("load", { scene: state.scene });
  if (!reply.error && Number.isInteger(state.step)) await client.act("seek", { step: state.step });
  return !reply.error;
};

const link = new LinkKeeper(app.readState);
app.link = link;
const given = decode(location.hash);
if (!given || !(await app.loadState(given))) await client.act("preset", { name: "separable" });
client.listen(() => link.soon());
window.addEventListener("hashchange", () => {
  const state = decode(location.hash);
  if (state) app.loadState(state);
});
transport.onstatus = (up) => {
  if (!up) app.status.textContent = "connection lost: reload the page";
};
root.dataset.ready = "true";
root.app = app;
