// The labels of a piece of LIBSVM text: each distinct one once, rows by its number.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/libsvm_rules.hpp"

namespace separatrix {

struct LabelToken {
    std::string_view text;
    TextPlace place;
};

// Distinct labels in order of appearance. Rows of the same class often follow each other, so the last is tried first.
class LabelTable {
public:
    std::uint32_t code(std::string_view text, const TextPlace& place) {
        if (!labels_.empty() && labels_[last_].text == text) return last_;
        const auto [found, is_new] = codes_.try_emplace(text, static_cast<std::uint32_t>(labels_.size()));
        if (is_new) labels_.push_back({text, place});
        return last_ = found->second;
    }
    const std::vector<LabelToken>& labels() const { return labels_; }
    void clear() {
        labels_.clear();
        codes_.clear();
        last_ = 0;
    }

private:
    std::vector<LabelToken> labels_;
    std::unordered_map<std::string_view, std::uint32_t> codes_;
    std::uint32_t last_ = 0;
};

}  // namespace separatrix
