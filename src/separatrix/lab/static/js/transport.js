// The way to the solver. A transport has `request(message)`, which promises the reply, and `onstatus(up)`.
// This one is a WebSocket; the notebook widget brings another with the same two.

export class SocketTransport {
  constructor(address) {
    this.address = address;
    this.waiting = new Map();
    this.count = 0;
    this.onstatus = () => {};
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.address);
    this.ready = new Promise((resolve) => {
      this.socket.addEventListener("open", () => { this.onstatus(true); resolve(); }, { once: true });
    });
    this.socket.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => {
      for (const answer of this.waiting.values()) answer({ error: "The connection was lost.", lost: true });
      this.waiting.clear();
      this.onstatus(false);
    });
  }

  take(reply) {
    const answer = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (answer) answer(reply);
  }

  async request(message) {
    await this.ready;
    if (this.socket.readyState !== WebSocket.OPEN) return { error: "The connection was lost.", lost: true };
    const id = ++this.count;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ ...message, id }));
    });
  }
}
