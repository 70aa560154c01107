// The page as `separatrix lab` serves it: a WebSocket for a transport, and the state in the address.

import { SocketTransport } from "./talk/transport.js";
import { decode, LinkKeeper, loadState, readState } from "./talk/link.js";
import { mount } from "./mount.js";

const root = document.getElementById("lab");
const transport = new SocketTransport(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/session`);
const command = `separatrix lab${location.port && location.port !== "8765" ? ` --port ${location.port}` : ""}`;
const gone = (why) => (why ? `${why} This page opens as soon as one is closed.`
  : `The lab has stopped. Start it again with “${command}”: this page goes on by itself, with your points.`);

transport.onstatus = (up, why) => { if (!up) root.querySelector(".loading").textContent = gone(why); };
await transport.opened;
const app = await mount(root, transport, document);
const { client } = app;

app.readState = () => readState(app);
app.loadState = (state) => loadState(app, state);
const link = new LinkKeeper(app.readState);
app.link = link;

// Opens what a link holds; says so where it holds nothing.
app.openLink = async (text) => {
  try {
    const state = decode(text);
    return state !== null && await app.loadState(state);
  } catch (error) {
    app.say(error.message);
    return false;
  }
};

if (!(await app.openLink(location.hash))) await client.act("preset", { name: "separable" });
link.now();
client.listen(() => link.soon());
client.onview = () => link.soon();
window.addEventListener("hashchange", async () => {
  if (await app.openLink(location.hash)) link.adopt();
});

// A server that comes back knows nothing of this page: it is told what the page shows.
let lost = null;
transport.onstatus = async (up, why) => {
  if (!up) {
    if (lost === null) lost = app.readState();
    app.player.stop();
    app.warn(gone(why));
    return;
  }
  app.warn("");
  const before = lost;
  lost = null;
  app.markOne.log = []; // the new server's machine has learnt nothing
  if (before !== null) await app.loadState(before);
};
root.dataset.ready = "true";
root.app = app;
