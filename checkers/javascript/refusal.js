// The one kind of error that the checker raises on purpose. Its message is the sentence that the user reads.

export class Refusal extends Error {}

export function refuse(sentence) {
  throw new Refusal(sentence);
}

export function demand(condition, sentence) {
  if (!condition) throw new Refusal(sentence);
}

// A short form of something from outside, fit to stand in a sentence.
export function quoted(value) {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return Array.isArray(value) ? "a list" : "no text";
  const whole = JSON.stringify(value);
  return whole.length <= 60 ? whole : whole.slice(0, 56) + '..."';
}
