// Decimal numbers as the statement of section 8 prints them: reals by their shortest decimal, bounds rounded outward.

// The text of a number with the decimal digits `digits` (no zero in front) and the value d.ddd times 10^exponent.
function layOut(negative, digits, exponent) {
  const sign = negative ? "-" : "";
  const kept = digits.replace(/0+$/, "");
  if (exponent < -4 || exponent >= 16) {
    return sign + kept[0] + (kept.length > 1 ? "." + kept.slice(1) : "") + "e" + exponent;
  }
  if (exponent < 0) return sign + "0." + "0".repeat(-exponent - 1) + kept;
  const whole = kept.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const behind = kept.slice(exponent + 1);
  return sign + whole + (behind ? "." + behind : "");
}

// A Number as the decimal number with the fewest digits that stands for it.
export function printReal(value) {
  if (value === 0) return "0";
  const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
  return layOut(value < 0, mantissa.replace(".", ""), Number(exponent));
}

// The fraction numerator / denominator (denominator above zero), rounded to so many significant digits, up or down.
export function printRounded(numerator, denominator, digits, up) {
  if (numerator === 0n) return "0";
  const negative = numerator < 0n;
  const p = negative ? -numerator : numerator;
  const away = up !== negative;
  let exponent = decimalExponent(p, denominator);
  const shift = digits - 1 - exponent;
  const top = shift >= 0 ? p * 10n ** BigInt(shift) : p;
  const bottom = shift >= 0 ? denominator : denominator * 10n ** BigInt(-shift);
  let m = top / bottom;
  if (away && m * bottom !== top) m += 1n;
  let text = m.toString();
  if (text.length > digits) {
    exponent += 1;
    text = text.slice(0, digits);
  }
  return layOut(negative, text, exponent);
}

// The integer E with 10^E <= p / q < 10^(E + 1).
function decimalExponent(p, q) {
  const bits = bitLength(p) - bitLength(q);
  let e = Math.floor((bits - 1) * 0.30102999566398) - 1;
  while (reaches(p, q, e + 1)) e += 1;
  return e;
}

function reaches(p, q, e) {
  return e >= 0 ? p >= q * 10n ** BigInt(e) : p * 10n ** BigInt(-e) >= q;
}

function bitLength(value) {
  return 4 * value.toString(16).length;
}
