// The vectors a of section 6, as two classes with the same methods: one a for each row (two sides), or one for each row and each
// class other than its own (all classes at once). Kinds that speak of products with the a, or of sums of them, use only these methods.
//
// A point z is {w, we, b, be}: the weights w are BigInts at the exponent we, the bias b at the exponent be. With two sides w is a Map
// from column to BigInt and b a BigInt; otherwise both are Maps from class to these.
//
// Labels without rows and without numbers in the proof are "blank". All blank classes are in the same position, so one of them stands
// for all, and is met with their number as its multiplicity. A document cannot cause much work by naming many labels.

import { demand } from "./refusal.js";
import { sumOfSquares } from "./numbers.js";
import { NOWHERE } from "./data.js";

export class TwoSides {
  constructor(data, part) {
    this.data = data;
    this.part = part;
    this.size = part.rows.length;
    this.length = data.n;
  }

  has(place) {
    return this.part.place[place] !== NOWHERE;
  }

  everyPlace() {
    return this.part.rows.map((i) => [i, 1]);
  }

  // Call visit(place, multiplicity, product) for every a. The products have the exponent that is returned.
  products(z, visit) {
    const { data, part } = this;
    const align = alignment(z, data.e);
    const b = z.b << align.b;
    for (const i of part.rows) {
      const value = (data.product(z.w, i) << align.w) + b;
      visit(i, 1, part.place[i] > 0 ? value : -value);
    }
    return align.e;
  }

  // The sum of weight times a over [place, multiplicity, weight], where the bias column of each a is the dyadic number `bias`.
  combine(entries, e, bias) {
    const w = new Map();
    let b = 0n;
    for (const [i, , weight] of entries) {
      const signed = this.part.place[i] > 0 ? weight : -weight;
      this.data.accumulate(w, signed, i);
      b += signed;
    }
    return { w, we: e + this.data.e, b: b * bias.m, be: e + bias.e };
  }

  isZero(z, withBias) {
    return allZero(z.w) && (!withBias || z.b === 0n);
  }

  // The squared lengths of w and b, at the exponents 2 we and 2 be.
  squares(z) {
    return { w: sumOfSquares(z.w.values()), b: z.b * z.b };
  }
}

export class AllClasses {
  // `points` and `vectors` are all that the proof holds: points z, and vectors over the places i k + m.
  constructor(data, part, points, vectors) {
    this.data = data;
    this.part = part;
    this.k = part.k;
    this.size = part.rows.length * (part.k - 1);
    this.length = data.n * part.k;
    const named = new Set();
    for (const i of part.rows) named.add(part.place[i]);
    for (const z of points) for (const map of [z.w, z.b]) for (const m of map.keys()) named.add(m);
    for (const vector of vectors) for (const place of vector.indices) named.add(place % this.k);
    this.classes = [...named].map((m) => [m, 1]);
    if (named.size < this.k) {
      let blank = 0;
      while (named.has(blank)) blank++;
      this.classes.push([blank, this.k - named.size]);
    }
  }

  has(place) {
    const own = this.part.place[quotient(place, this.k)];
    return own !== NOWHERE && own !== place % this.k;
  }

  // All a as [place, multiplicity].
  everyPlace() {
    const places = [];
    for (const i of this.part.rows) {
      for (const [m, multiplicity] of this.classes) if (m !== this.part.place[i]) places.push([i * this.k + m, multiplicity]);
    }
    return places;
  }

  // The scores of row i as a Map from class to BigInt, at the exponent of the alignment.
  scores(z, align, i) {
    const scores = new Map();
    for (const [m] of this.classes) {
      const w = z.w.get(m);
      const product = w === undefined ? 0n : this.data.product(w, i) << align.w;
      scores.set(m, product + ((z.b.get(m) ?? 0n) << align.b));
    }
    return scores;
  }

  products(z, visit) {
    const align = alignment(z, this.data.e);
    for (const i of this.part.rows) {
      const own = this.part.place[i];
      const scores = this.scores(z, align, i);
      for (const [m, multiplicity] of this.classes) {
        if (m !== own) visit(i * this.k + m, multiplicity, scores.get(own) - scores.get(m));
      }
    }
    return align.e;
  }

  combine(entries, e, bias) {
    const totals = new Map();
    const b = new Map();
    const give = (i, m, weight) => {
      const key = i * this.k + m;
      totals.set(key, (totals.get(key) ?? 0n) + weight);
      b.set(m, (b.get(m) ?? 0n) + weight);
    };
    for (const [place, multiplicity, weight] of entries) {
      const i = quotient(place, this.k);
      give(i, this.part.place[i], weight * BigInt(multiplicity));
      give(i, place % this.k, -weight);
    }
    const w = new Map();
    for (const [key, weight] of totals) {
      const m = key % this.k;
      if (!w.has(m)) w.set(m, new Map());
      this.data.accumulate(w.get(m), weight, quotient(key, this.k));
    }
    for (const [m, value] of b) b.set(m, value * bias.m);
    return { w, we: e + this.data.e, b, be: e + bias.e };
  }

  isZero(z, withBias) {
    for (const map of z.w.values()) if (!allZero(map)) return false;
    return !withBias || allZero(z.b);
  }

  squares(z) {
    let w = 0n;
    for (const map of z.w.values()) w += sumOfSquares(map.values());
    return { w, b: sumOfSquares(z.b.values()) };
  }
}

// The integral quotient of two counts, also where the division of Numbers would round up.
export function quotient(index, divisor) {
  return (index - (index % divisor)) / divisor;
}

export function allZero(map) {
  for (const value of map.values()) if (value !== 0n) return false;
  return true;
}

// How far the products w.x and the bias are shifted to come to a common exponent.
export function alignment(z, dataExponent) {
  const e = Math.min(z.we + dataExponent, z.be);
  return { e, w: BigInt(z.we + dataExponent - e), b: BigInt(z.be - e) };
}

// The vector W (k d), written class by class, as a Map from class to a Map from column to BigInt.
export function byClass(vector, d) {
  const w = new Map();
  vector.indices.forEach((index, t) => {
    const m = quotient(index, d);
    if (!w.has(m)) w.set(m, new Map());
    w.get(m).set(index % d, vector.values[t]);
  });
  return w;
}

// Demand that a vector over places is zero where there is no a.
export function onlyPlaces(comparisons, vector, what) {
  for (const place of vector.indices) {
    demand(comparisons.has(place), `${what} has a value at place ${place}, where there is nothing that it could weigh.`);
  }
}
