// The vectors a of section 6 for ordered classes: row i of class c has one against class c + 1, (-x_i, +1 at threshold c), and one
// against class c - 1, (x_i, -1 at threshold c - 1). The methods are those of `comparisons.js`; b of a point is a Map of thresholds.

import { demand } from "./refusal.js";
import { NOWHERE } from "./data.js";
import { alignment, allZero, quotient } from "./comparisons.js";

export class OrderedClasses {
  constructor(data, part) {
    this.data = data;
    this.part = part;
    this.k = part.k;
    this.length = data.n * part.k;
    const met = new Set(part.rows.map((i) => part.place[i]));
    demand(met.size === part.k, "A class has no row that takes part.");
  }

  has(place) {
    const own = this.part.place[quotient(place, this.k)];
    return own !== NOWHERE && Math.abs((place % this.k) - own) === 1;
  }

  // Call visit(i, m) for every a.
  each(visit) {
    for (const i of this.part.rows) {
      const own = this.part.place[i];
      for (const m of [own - 1, own + 1]) if (m >= 0 && m < this.k) visit(i, m);
    }
  }

  everyPlace() {
    const places = [];
    this.each((i, m) => places.push([i * this.k + m, 1]));
    return places;
  }

  products(z, visit) {
    const align = alignment(z, this.data.e);
    this.each((i, m) => {
      const own = this.part.place[i];
      const beyond = (this.data.product(z.w, i) << align.w) - ((z.b.get(Math.min(m, own)) ?? 0n) << align.b);
      visit(i * this.k + m, 1, m < own ? beyond : -beyond);
    });
    return align.e;
  }

  combine(entries, e, bias) {
    const w = new Map();
    const b = new Map();
    for (const [place, , weight] of entries) {
      const i = quotient(place, this.k);
      const m = place % this.k;
      const own = this.part.place[i];
      const cut = Math.min(m, own);
      const signed = m < own ? weight : -weight;
      this.data.accumulate(w, signed, i);
      b.set(cut, (b.get(cut) ?? 0n) - signed * bias.m);
    }
    return { w, we: e + this.data.e, b, be: e + bias.e };
  }

  isZero(z) {
    return allZero(z.w) && allZero(z.b);
  }
}
