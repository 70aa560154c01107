// The rules of LIBSVM text, and the faults that it may have, with their places.
#pragma once

#include <cstdint>
#include <optional>

namespace separatrix {

struct TextRules {
    bool zero_based = false;   // else 1 is taken off every index
    bool zero_allowed = true;  // an index 0 where they start at 1 becomes column -1, for the caller to put right
    bool drop_beyond = false;  // leave out columns at or above n_columns instead of refusing them
    std::int64_t n_columns = std::int64_t{1} << 62;
    // Rows have a label, and a query: all do or none. If not known, the first row of the piece decides.
    std::optional<bool> labelled;
    std::optional<bool> queried;
};
inline constexpr std::int64_t largest_index = std::int64_t{1} << 59;

enum class TextFault {
    none,
    index,         // expected an index
    colon,         // expected ':' after an index
    number,        // expected a number
    not_finite,    // nan or inf
    too_large,     // a number beyond the range of the values
    inexact,       // an integer that is no number of their type
    separator,     // expected white space after a number
    zero_index,    // an index 0, but indices start at 1
    beyond,        // a column at or beyond n_columns
    huge_index,    // an index above largest_index
    twice,         // a column that occurs twice in a row
    many_labels,   // "1,2"
    no_label,      // a row without a label among rows that have one
    label,         // a label among rows that have none
    query,         // expected an integer after qid:
    no_query,      // a row without qid among rows that have one
    query_unasked  // a qid among rows that have none
};

// The place of a fault: bytes from the beginning of the piece, lines from its first line (0).
struct TextPlace {
    const char* at = nullptr;
    const char* line_begin = nullptr;
    std::int64_t line = 0;
};

}  // namespace separatrix
