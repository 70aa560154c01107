// When to ask during a drag. A picture waits for the next frame, however early it is ready; so of the moves that come
// between two frames, the last is asked about whose answer can still be in the second.

const FRAME = 1000 / 60; // milliseconds, until more is known
const IDLE = 100; // milliseconds without a frame, or a move, after which nothing is known of the next
const LATER = 0.2, SOONER = 2; // milliseconds: so about one answer in eleven comes too late for its frame

export class Pace {
  constructor() {
    this.period = FRAME;
    this.frame = -Infinity; // when the last frame began
    this.aim = Infinity; // when the frame begins for which the last question was asked
    this.lead = 0.6 * FRAME; // how long before a frame the pointer is read; soon what the answers of late allow
    this.move = -Infinity; // when the pointer moved last
    this.between = Infinity; // from one move to the next
  }

  moved(at) {
    const since = at - this.move;
    if (since > IDLE) this.between = Infinity;
    else if (since > 0) this.between = this.between === Infinity ? since : 0.9 * this.between + 0.1 * since;
    this.move = at;
  }

  // Milliseconds to wait with a question about the last move: none if no other move is expected while there is time.
  wait(now) {
    const passed = now - this.frame;
    if (passed > IDLE) return 0;
    const last = now + this.period - this.lead - (passed % this.period);
    return this.move + this.between > last ? 0 : Math.max(0, last - now);
  }

  asked(now) {
    const passed = now - this.frame;
    this.aim = passed > IDLE ? Infinity : now + this.period - (passed % this.period);
  }

  // A frame has begun that shows an answer: the one it was asked for, or a later one.
  shown(at) {
    const since = at - this.frame;
    if (since > 2 && since < 1.5 * this.period) this.period = 0.9 * this.period + 0.1 * since;
    this.lead = at > this.aim + this.period / 2 ? Math.min(this.lead + SOONER, this.period) : Math.max(this.lead - LATER, 0);
    this.frame = at;
  }
}
