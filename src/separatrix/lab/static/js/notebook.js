// The lab as a notebook widget: Jupyter's messages for a transport, the scene that Python chose to begin with.

import { mount } from "./mount.js";

class JupyterTransport {
  constructor(model) {
    this.model = model;
    this.waiting = new Map();
    this.count = 0;
    this.onstatus = () => {};
    model.on("msg:custom", (reply) => {
      const answer = this.waiting.get(reply.id);
      this.waiting.delete(reply.id);
      if (answer) answer(reply);
    });
  }

  request(message) {
    const id = `${Math.random().toString(36).slice(2)}-${++this.count}`; // two views of one widget share its messages
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.model.send({ ...message, id });
    });
  }
}

async function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "lab lab-widget";
  root.style.setProperty("--widget-height", model.get("height"));
  // A notebook has keys of its own; those pressed here stay here.
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  const app = await mount(root, new JupyterTransport(model));
  await app.client.act("look");
  app.xspace.fit(app.client.state.scene.points);
  await app.client.act("look");
  root.app = app;
  root.dataset.ready = "true";
}

export default { render };
