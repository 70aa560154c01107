// Keys that work wherever the focus is, except where one writes or chooses.

export function listenForKeys(target, app) {
  const { client, player, xspace, tabs } = app;
  const plain = {
    p: () => player.toggle(), " ": () => player.toggle(), s: () => player.step(), b: () => player.back(),
    r: () => player.reset(), e: () => player.end(),
    ...(client.fixed ? {} : { 1: () => xspace.editing.use("plus"), 2: () => xspace.editing.use("minus"), 3: () => xspace.editing.use("erase") }),
    0: () => xspace.editing.fit(), "?": () => app.help.showModal(),
    ...Object.fromEntries(app.hello.tabs.map(({ name, key }) => [key.toLowerCase(), () => tabs.open(name)])),
  };
  target.addEventListener("keydown", (event) => {
    const writing = event.target.matches("input:not([type=range]):not([type=radio]), select, textarea, dialog *");
    const choosing = event.target.matches("input");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !client.fixed) {
      event.preventDefault();
      client.act(event.shiftKey ? "redo" : "undo");
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y" && !client.fixed) {
      event.preventDefault();
      client.act("redo");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || writing || event.defaultPrevented) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (pressed === " " && (choosing || event.target.matches("button, summary, .scroll"))) return; // it presses or scrolls those
    if (choosing && "0123456789".includes(pressed)) return;
    if (app.tour.key(pressed)) {
      event.preventDefault();
      return;
    }
    if (!plain[pressed]) return;
    event.preventDefault();
    plain[pressed]();
  });
}
