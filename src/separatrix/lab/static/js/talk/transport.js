// The way to the solver. A transport has `request(message)`, which promises the reply, and `onstatus(up, why)`.
// This one is a WebSocket that tries again where it was cut off; the notebook widget brings another with the same two.

const AGAIN = 1000; // milliseconds until the next try
const FULL = 1013; // the server's code for: too many pages are open

export class SocketTransport {
  constructor(address) {
    this.address = address;
    this.waiting = new Map();
    this.count = 0;
    this.onstatus = () => {};
    this.opened = new Promise((resolve) => { this.first = resolve; });
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.address);
    // A server with too many pages takes the connection to say why it ends it: only an answer shows that it stays.
    this.socket.addEventListener("open", () => this.socket.send(JSON.stringify({ op: "hello", id: 0 })));
    this.socket.addEventListener("message", (event) => {
      const reply = JSON.parse(event.data);
      if (reply.id !== 0) {
        this.take(reply);
        return;
      }
      this.first();
      this.onstatus(true, "");
    });
    this.socket.addEventListener("close", (event) => {
      for (const answer of this.waiting.values()) answer({ error: "The connection was lost.", lost: true });
      this.waiting.clear();
      this.onstatus(false, event.code === FULL ? event.reason : "");
      setTimeout(() => this.open(), AGAIN);
    });
  }

  // One request is under way at a time, so an answer without a name is to that one.
  take(reply) {
    const name = reply.id === null ? this.waiting.keys().next().value : reply.id, answer = this.waiting.get(name);
    this.waiting.delete(name);
    if (answer) answer(reply);
  }

  async request(message) {
    await this.opened;
    if (this.socket.readyState !== WebSocket.OPEN) return { error: "The connection was lost.", lost: true };
    const id = ++this.count;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ ...message, id }));
    });
  }
}
