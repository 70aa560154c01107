// Tokens of a line of text: separated by blanks, ended by a line end or a comment.
#pragma once

#include <cstddef>
#include <cstring>

#include "text/decimal.hpp"

namespace separatrix {

SEPARATRIX_INLINE bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
SEPARATRIX_INLINE const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
}
SEPARATRIX_INLINE bool ends_token(char c) { return is_blank(c) || c == '\n' || c == '#'; }
SEPARATRIX_INLINE const char* token_end(const char* p) {
    while (!ends_token(*p)) ++p;
    return p;
}
inline const char* line_end(const char* p, const char* end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
}

}  // namespace separatrix
