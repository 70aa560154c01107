// LIBSVM (SVMlight) text to CSR, for a piece of text made of whole lines.
//
//   line  = [label [qid:number]] {index:value} [# comment]        between them spaces, tabs, \v, \f, \r
//
// A line that holds nothing is skipped. Columns of a row are sorted if they are not; the same one twice is a fault.
// A piece ends with a line end and at least `decimal_padding` readable bytes follow it, so nothing in here asks whether
// the text has ended: every token stops at a line end.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rows/growable_array.hpp"
#include "text/decimal.hpp"
#include "text/label_table.hpp"
#include "text/libsvm_rules.hpp"
#include "text/tokens.hpp"

namespace separatrix {

// The rows of a piece. Row r has the entries ends[r - 1] .. ends[r); labels and queries are empty if no row has them.
template <class Value, class Column>
struct TextPiece {
    Growing<Value> values;
    Growing<Column> columns;
    Growing<std::int64_t> ends;
    Growing<std::uint32_t> labels;
    Growing<std::int64_t> queries;
    LabelTable table;
    std::int64_t lines = 0;
    std::int64_t dropped = 0;
    std::int64_t width = 0;  // the largest column + 1
    bool zero_seen = false;
    bool needs_wide = false;  // an index that Column cannot hold: parse again with a wider one
    TextFault fault = TextFault::none;
    TextPlace place;  // of the fault

    void parse(const char* begin, const char* end, const TextRules& rules);

private:
    static constexpr auto column_limit = static_cast<std::int64_t>(std::min<std::uint64_t>(
        std::uint64_t{1} << 62, static_cast<std::uint64_t>(std::numeric_limits<Column>::max()) + 1));
    // Number of digits of the last index. Columns are sorted, so the next one has as many, nearly always: the place
    // of its value is then known from a guess that the processor verifies later, not from the digits themselves.
    int index_digits = 1;

    const char* parse_row(const char* p, const TextRules& rules);
    const char* parse_head(const char* p, const TextRules& rules);
    const char* parse_index(const char* p, std::int64_t& index);
    const char* parse_value(const char* p, double& number);
    const char* sort_row(const char* p, std::size_t begin, std::size_t end, const TextRules& rules);
    const char* fail(TextFault what, const char* at) {
        fault = what;
        place.at = at;
        return nullptr;
    }
};

// A value that the compiler knows nothing about: it must not see that the guess equals what was counted.
SEPARATRIX_INLINE int opaque(int value) {
#if !defined(_MSC_VER)
    asm volatile("" : "+r"(value));
#endif
    return value;
}

template <class Value, class Column>
void TextPiece<Value, Column>::parse(const char* begin, const char* end, const TextRules& rules) {
    for (auto* counts : {&ends, &queries}) counts->clear();
    labels.clear();
    table.clear();
    lines = dropped = width = 0;
    zero_seen = needs_wide = false;
    fault = TextFault::none;
    // The shortest entry is "1:1" and what ends it, so this is room for all there can be.
    const auto most = static_cast<std::size_t>(end - begin) / 4 + 1;
    values.clear();
    columns.clear();
    values.reserve(most);
    columns.reserve(most);
    for (const char* p = begin; p < end; ++lines) {
        place = {p, p, lines};
        p = skip_blanks(p);
        if (*p != '\n' && *p != '#') {
            p = parse_row(p, rules);
            if (!p) return;
        }
        p = (*p == '\n' ? p : line_end(p, end)) + 1;
    }
}

// From the first token of a row to its line end or comment; nullptr after a fault.
template <class Value, class Column>
const char* TextPiece<Value, Column>::parse_row(const char* p, const TextRules& rules) {
    p = parse_head(p, rules);
    if (!p) return nullptr;
    const std::size_t begin = values.size();
    Value* value = values.end();
    Column* column = columns.end();
    const std::int64_t shift = rules.zero_based ? 0 : 1;
    const auto limit = static_cast<std::uint64_t>(std::min(rules.n_columns, column_limit));
    std::int64_t before = -2;  // the last column
    bool sorted = true;
    for (;;) {
        const char* const token = p;
        const DigitRun run = digits8(p);
        auto index = static_cast<std::int64_t>(run.value);
        if (run.count == index_digits) [[likely]] {
            p += index_digits;
        } else if (run.count == 0) {
            p = skip_blanks(p);
            if (*p == '\n' || *p == '#') break;
            if (p == token) return fail(TextFault::index, p);
            continue;
        } else if (run.count == 8) {
            p = parse_index(p, index);
            if (!p) return nullptr;
        } else {
            index_digits = opaque(run.count);
            p += run.count;
        }
        if (*p != ':') return fail(TextFault::colon, p);
        ++p;
        double number;
        if (p[1] == ' ' && is_digit(p[0])) {  // the commonest value by far in counts and categories
            number = p[0] - '0';
            p += 2;
        } else {
            p = parse_value(p, number);
            if (!p) return nullptr;
        }
        const std::int64_t place_of = index - shift;
        if (static_cast<std::uint64_t>(place_of) >= limit) [[unlikely]] {
            if (place_of < 0) {
                if (!rules.zero_allowed) return fail(TextFault::zero_index, token);
                zero_seen = true;
            } else if (place_of < rules.n_columns) {
                needs_wide = true;
                return nullptr;
            } else if (rules.drop_beyond) {
                ++dropped;
                continue;
            } else {
                return fail(TextFault::beyond, token);
            }
        }
        sorted &= place_of > before;
        before = place_of;
        *value++ = static_cast<Value>(number);
        *column++ = static_cast<Column>(place_of);
    }
    const auto end = static_cast<std::size_t>(value - values.data());
    values.set_size(end);
    columns.set_size(end);
    if (!sorted && !sort_row(place.line_begin, begin, end, rules)) return nullptr;
    if (end > begin) width = std::max(width, static_cast<std::int64_t>(columns[end - 1]) + 1);
    ends.push(static_cast<std::int64_t>(end));
    return p;
}

// Any finite number, and the blank after it.
template <class Value, class Column>
const char* TextPiece<Value, Column>::parse_value(const char* p, double& number) {
    const DigitRun run = digits8(p);
    if (run.count > 0 && run.count < 8 && ends_token(p[run.count])) {
        number = static_cast<double>(static_cast<std::int64_t>(run.value));
        p += run.count;
    } else {
        const Decimal decimal = parse_decimal(p, number);
        if (decimal.fault == DecimalFault::not_a_number) {
            const char first = static_cast<char>(p[*p == '-' || *p == '+'] | 0x20);
            return fail(first == 'n' || first == 'i' ? TextFault::not_finite : TextFault::number, p);
        }
        if (decimal.fault == DecimalFault::too_large || std::isinf(static_cast<Value>(number))) {
            return fail(TextFault::too_large, p);
        }
        // Every integer of as many bits as the type has is one of its numbers.
        constexpr double exact = std::is_same_v<Value, float> ? 0x1p24 : 0x1p53;
        if (std::abs(number) >= exact && !may_stand_for(static_cast<Value>(number), p, decimal.end)) {
            return fail(TextFault::inexact, p);
        }
        p = decimal.end;
        if (!ends_token(*p)) return fail(TextFault::separator, p);
    }
    return p + (*p == ' ');
}

// The label and the query, up to the first entry.
template <class Value, class Column>
const char* TextPiece<Value, Column>::parse_head(const char* p, const TextRules& rules) {
    const char* end = p;
    bool comma = false, colon = false;
    for (; !ends_token(*end); ++end) {
        comma |= *end == ',';
        colon |= *end == ':';
    }
    const bool first = ends.size() == 0;
    const bool labelled = rules.labelled.value_or(first ? !colon : labels.size() > 0);
    if (colon && labelled) return fail(TextFault::no_label, p);
    if (!colon) {
        if (comma) return fail(TextFault::many_labels, p);
        if (!labelled) return fail(TextFault::label, p);
        place.at = p;
        labels.push(table.code({p, static_cast<std::size_t>(end - p)}, place));
        p = skip_blanks(end);
    }
    const bool query_here = p[0] == 'q' && std::string_view(p, 4) == "qid:";
    const bool queried = rules.queried.value_or(first ? query_here : queries.size() > 0);
    if (query_here != queried) return fail(query_here ? TextFault::query_unasked : TextFault::no_query, p);
    if (!query_here) return p;
    std::int64_t query = 0;
    const auto [after, error] = std::from_chars(p + 4, token_end(p + 4), query);
    if (error != std::errc{} || !ends_token(*after)) return fail(TextFault::query, p + 4);
    queries.push(query);
    return skip_blanks(after);
}

// The digits of an index that are none, or eight and more.
template <class Value, class Column>
const char* TextPiece<Value, Column>::parse_index(const char* p, std::int64_t& index) {
    if (!is_digit(*p)) return fail(TextFault::index, p);
    const char* const begin = p;
    index = 0;
    for (; is_digit(*p); ++p) {
        index = 10 * index + (*p - '0');
        if (index > largest_index) return fail(TextFault::huge_index, begin);
    }
    return p;
}

// Sorts the entries begin .. end by column; finds the text of a column that occurs twice.
template <class Value, class Column>
const char* TextPiece<Value, Column>::sort_row(const char* p, std::size_t begin, std::size_t end,
                                               const TextRules& rules) {
    std::vector<std::pair<Column, Value>> entries;
    for (std::size_t k = begin; k < end; ++k) entries.emplace_back(columns[k], values[k]);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = begin; k < end; ++k) {
        columns[k] = entries[k - begin].first;
        values[k] = entries[k - begin].second;
    }
    const auto same = std::adjacent_find(entries.begin(), entries.end(),
                                         [](const auto& a, const auto& b) { return a.first == b.first; });
    if (same == entries.end()) return p;
    const std::int64_t wanted = static_cast<std::int64_t>(same->first) + (rules.zero_based ? 0 : 1);
    int seen = 0;
    for (p = skip_blanks(p); *p != '\n' && *p != '#'; p = skip_blanks(token_end(p))) {
        std::int64_t index = 0;
        const auto [after, error] = std::from_chars(p, token_end(p), index);
        if (error == std::errc{} && *after == ':' && index == wanted && ++seen == 2) break;
    }
    return fail(TextFault::twice, p);
}

}  // namespace separatrix
