// Decimal text to double, correctly rounded.
//
//   digits up to 2^53 and a power of ten up to 22   one exact multiplication or division (Clinger, PLDI 1990)
//   up to 19 digits and a power from -27 to 27      128-bit product (Lemire, Software: Practice and Experience 2021)
//   everything else                                 std::from_chars
//
// Eight bytes are read at a time: at least `decimal_padding` bytes after the text must be readable. The text ends at
// the first byte that cannot belong to a number, so a line end is enough.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "rows/rows.hpp"

namespace separatrix {

inline constexpr int decimal_padding = 16;

SEPARATRIX_INLINE bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Eight characters as an integer, the first in the lowest byte.
SEPARATRIX_INLINE std::uint64_t load8(const char* text) {
    std::uint64_t word;
    std::memcpy(&word, text, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

// The digits at the beginning of eight characters: how many, and their value.
struct DigitRun {
    int count;
    std::uint64_t value;
};

SEPARATRIX_INLINE DigitRun digits8(const char* text) {
    const std::uint64_t digits = load8(text) ^ 0x3030303030303030u;  // '0'..'9' become 0..9
    const std::uint64_t others =
        (((digits & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | digits) & 0x8080808080808080u;
    const int count = others ? std::countr_zero(others) >> 3 : 8;
    // Shifted so that the digits end in the highest byte, with zeros before them; then pairs, fours, eights.
    std::uint64_t word = count ? digits << (64 - 8 * count) : 0;
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
    return {count, (word * 10000 + (word >> 32)) & 0xffffffffu};
}

namespace decimal_detail {

inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
inline constexpr int widest_power = 27;  // 5^27 is the largest power of five below 2^64

struct FivePowers {
    std::uint64_t power[widest_power + 1];
    constexpr FivePowers() : power{} {
        power[0] = 1;
        for (int k = 1; k <= widest_power; ++k) power[k] = 5 * power[k - 1];
    }
};
inline constexpr FivePowers five;

using Wide = unsigned __int128;

// The double nearest to (top + something in [0, 1) if sticky) * 2^exponent, ties to even; top >= 2^63.
// False where the result is not a normal number.
SEPARATRIX_INLINE bool round_to_double(std::uint64_t top, bool sticky, int exponent, double& out) {
    std::uint64_t mantissa = top >> 11;
    const std::uint64_t rest = top & 0x7ff;
    if (rest > 0x400 || (rest == 0x400 && (sticky || (mantissa & 1)))) ++mantissa;
    int biased = exponent + 11 + 52 + 1023;
    if (mantissa >> 53) {
        mantissa >>= 1;
        ++biased;
    }
    if (biased <= 0 || biased >= 2047) return false;
    out = std::bit_cast<double>((static_cast<std::uint64_t>(biased) << 52) | (mantissa & 0xfffffffffffffu));
    return true;
}

// digits * 10^power for 0 < digits < 2^64 and |power| <= 27: an exact 128-bit product or quotient with its remainder,
// so no case is left in doubt.
SEPARATRIX_INLINE bool scale(std::uint64_t digits, int power, double& out) {
    if (power >= 0) {
        Wide product = static_cast<Wide>(digits) * five.power[power];
        const auto high = static_cast<std::uint64_t>(product >> 64);
        const int shift = high ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(product));
        product <<= shift;
        return round_to_double(static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product) != 0,
                               64 - shift + power, out);
    }
    const std::uint64_t divisor = five.power[-power];
    // Both scaled to have their top bit set; then the quotient of (digits * 2^64) by the divisor has 64 or 65 bits.
    const int up = std::countl_zero(digits), down = std::countl_zero(divisor);
    const std::uint64_t numerator = digits << up, denominator = divisor << down;
    Wide dividend = static_cast<Wide>(numerator) << 64;
    int exponent = down - up + power - 64;
    if (numerator >= denominator) {  // halve, so that the quotient has 64 bits
        dividend >>= 1;
        ++exponent;
    }
    const auto quotient = static_cast<std::uint64_t>(dividend / denominator);
    const bool sticky = dividend - static_cast<Wide>(quotient) * denominator != 0;
    return round_to_double(quotient, sticky, exponent, out);
}

}  // namespace decimal_detail

enum class DecimalFault { none, not_a_number, too_large };

struct Decimal {
    const char* end;  // the first byte after the number; where the fault is, if there is one
    DecimalFault fault;
};

namespace decimal_detail {

// Appends the digits at p; beyond 19 of them `digits` is of no use, and n_digits says so.
SEPARATRIX_INLINE const char* take_digits(const char* p, std::uint64_t& digits, std::int64_t& n_digits) {
    for (;;) {
        const DigitRun run = digits8(p);
        if (n_digits + run.count <= 19) digits = digits * small_powers[run.count] + run.value;
        n_digits += run.count;
        p += run.count;
        if (run.count < 8) return p;
    }
}

// Decides what std::from_chars does not: a number out of its range is too large or vanishes.
inline double out_of_range(const char* text, const char* end) {
    std::int64_t places = 0, written = 0;
    bool point = false, leading = true;
    const char* p = text;
    for (; p < end && (*p | 0x20) != 'e'; ++p) {
        if (*p == '.') {
            point = true;
        } else if (leading && *p == '0') {
            places -= point;
        } else {
            leading = false;
            places += !point;
        }
    }
    if (p < end) {
        const bool down = *++p == '-';
        for (p += down || *p == '+'; p < end; ++p) {
            if (written < (std::int64_t{1} << 58)) written = 10 * written + (*p - '0');
        }
        places += down ? -written : written;
    }
    return places > 0 ? HUGE_VAL : 0.0;
}

}  // namespace decimal_detail

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point; nothing else ("inf", "0x1") passes.
inline Decimal parse_decimal(const char* text, double& out) {
    using namespace decimal_detail;
    const bool negative = *text == '-';
    const char* const begin = text + (negative || *text == '+');
    std::uint64_t digits = 0;
    std::int64_t n_digits = 0, power = 0;
    const char* p = take_digits(begin, digits, n_digits);
    if (*p == '.') {
        const char* const fraction = p + 1;
        p = take_digits(fraction, digits, n_digits);
        power = fraction - p;
    }
    if (n_digits == 0) return {text, DecimalFault::not_a_number};
    if ((*p | 0x20) == 'e') {
        ++p;
        const bool down = *p == '-';
        if (down || *p == '+') ++p;
        if (!is_digit(*p)) return {text, DecimalFault::not_a_number};
        std::int64_t written = 0;
        for (; is_digit(*p); ++p) {
            if (written < 100000000) written = 10 * written + (*p - '0');
        }
        power += down ? -written : written;
    }
    double value = 0.0;
    if (n_digits <= 19 && digits <= (std::uint64_t{1} << 53) && power >= -22 && power <= 22) {
        value = static_cast<double>(digits);
        value = power < 0 ? value / exact_powers[-power] : value * exact_powers[power];
    } else if (n_digits > 19 || !digits || power < -widest_power || power > widest_power ||
               !scale(digits, static_cast<int>(power), value)) {
        if (std::from_chars(begin, p, value).ec == std::errc::result_out_of_range) value = out_of_range(begin, p);
    }
    out = negative ? -value : value;
    return {p, std::isinf(value) ? DecimalFault::too_large : DecimalFault::none};
}

// True if a number may stand for its text: a fraction or a power stands for the nearest number, an integer for itself alone.
inline bool may_stand_for(double value, const char* text, const char* end) {
    text += *text == '-' || *text == '+';
    if (!std::all_of(text, end, [](char c) { return is_digit(c); })) return true;
    while (text < end && *text == '0') ++text;
    char written[400];  // the largest double has 309 digits
    const auto last =
        std::to_chars(written, written + sizeof written, std::abs(value), std::chars_format::fixed, 0).ptr;
    return std::equal(text, end, written, last);
}

}  // namespace separatrix
