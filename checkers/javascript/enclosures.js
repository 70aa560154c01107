// Rational enclosures of exp and tanh by integer arithmetic. Results are the neighbouring integers [low, high] at the exponent -100
// (or one further where the value is too near to one of them to say); exp(0) and tanh(0) are exact.
//
// How exp(-t) is enclosed, in units u = 2^-144: t is rounded up to a multiple of u, n is so large that r = n ln 2 - t is between 0 and
// ln 2, and exp(-t) = 2^-n exp(r / 64)^64. Every rounding is downward, so the result L is never too large. How much it may be too small:
//
//   r             at most n + 1 units (n <= 190: the enclosure of ln 2, and t), thus r / 64 at most 4 units;
//   exp(r / 64)   4 units by the argument, 2 units for each of at most 18 terms, 4 units for the rest of the series, in all below 64;
//   64th power    64 * 64 * exp(r), and below 256 units for the rounding of six squares, in all below 2^14.

const OUT = 100n;
const UNIT = 144n;
const ERROR = 1n << 14n;
const ONE = 1n << OUT;
const WHOLE = 1n << UNIT;
const LARGE = 128n;

export const EXPONENT = -Number(OUT);

// ln 2 = sum 1 / (k 2^k), with 32 further bits; each of the 176 terms loses less than one of these, and so does the rest.
const [LN2_LOW, LN2_HIGH] = (() => {
  const guard = 32n;
  let sum = 0n;
  for (let k = 1n; k <= UNIT + guard; k++) sum += (1n << (UNIT + guard - k)) / k;
  return [sum >> guard, ((sum + 256n) >> guard) + 1n];
})();

// Bounds on exp(-m 2^e) for m > 0 and e <= 0, at the exponent -144.
function expUnits(m, e) {
  const shift = e + Number(UNIT);
  if (m >= LARGE << BigInt(-e)) return [0n, 1n];
  const t = shift >= 0 ? m << BigInt(shift) : (m >> BigInt(-shift)) + 1n;
  const n = t / LN2_LOW + 1n;
  const u = (n * LN2_LOW - t) >> 6n;
  let term = 1n << UNIT;
  let sum = term;
  for (let k = 1n; term > 0n; k++) {
    term = ((term * u) >> UNIT) / k;
    sum += term;
  }
  for (let i = 0; i < 6; i++) sum = (sum * sum) >> UNIT;
  const high = ((sum + ERROR) >> n) + 1n;
  return [sum >> n, high < WHOLE ? high : WHOLE];
}

// exp(-m 2^e) for m >= 0 and e <= 0.
export function expMinus(m, e) {
  if (m === 0n) return [ONE, ONE];
  const [low, high] = expUnits(m, e);
  const above = (high >> (UNIT - OUT)) + 1n;
  return [low >> (UNIT - OUT), above < ONE ? above : ONE];
}

// tanh(m 2^e) for e <= 0: with t = exp(-2 x) it is (1 - t) / (1 + t), which falls as t grows.
export function tanh(m, e) {
  if (m === 0n) return [0n, 0n];
  if (m < 0n) {
    const [low, high] = tanh(-m, e);
    return [-high, -low];
  }
  const [low, high] = expUnits(2n * m, e);
  const above = ((WHOLE - low) << OUT) / (WHOLE + low) + 1n;
  return [((WHOLE - high) << OUT) / (WHOLE + high), above < ONE ? above : ONE];
}
