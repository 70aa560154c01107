// The rows that can move and the columns they touch: what an acceleration step has to look at.
//
// Late in a descent a few hundred rows of many thousands are active, and touch a part of the columns. Vectors over
// the scope, instead of over all rows and columns, make a step as cheap as the passes between two steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "separatrix/rows.hpp"

namespace separatrix {

class Scope {
public:
    const std::vector<std::int32_t>& rows() const { return rows_; }
    // The number of columns, and the place of each column of X among them; null if all keep their own.
    std::size_t width() const { return width_; }
    const std::int32_t* place() const { return place_.empty() ? nullptr : place_.data(); }

    // Whether a pass over the rows costs much more than a vector of columns does.
    bool deep() const { return deep_; }

    // Whether the active rows (ids in increasing order) are in the scope, and not only a small part of it.
    bool holds(const std::vector<std::int32_t>& active) const {
        return 2 * active.size() >= rows_.size() &&
               std::includes(rows_.begin(), rows_.end(), active.begin(), active.end());
    }

    template <class Rows>
    void set(const Rows& source, const std::vector<std::int32_t>& active) {
        rows_ = active;
        columns_.clear();
        place_.clear();
        width_ = static_cast<std::size_t>(source.columns);
        std::size_t entries = 0;
        for (const std::int32_t id : rows_) entries += static_cast<std::size_t>(source.row(id).size);
        deep_ = entries > 8 * width_;
        if constexpr (Rows::sparse) {
            if (entries > 2 * width_) return;  // these touch most columns, as a rule
            place_.assign(width_, -1);
            for (const std::int32_t id : rows_) {
                const auto row = source.row(id);
                for (Index j = 0; j < row.size; ++j) place_[static_cast<std::size_t>(row.indices[j])] = 0;
            }
            for (std::size_t column = 0; column < width_; ++column) {
                if (place_[column] < 0) continue;
                place_[column] = static_cast<std::int32_t>(columns_.size());
                columns_.push_back(static_cast<std::int32_t>(column));
            }
            width_ = columns_.size();
        }
    }

    // The part of w (d,) in the scope, in `out` if that is not w itself.
    const double* part(const std::vector<double>& w, std::vector<double>& out) const {
        if (place_.empty()) return w.data();
        out.resize(width_);
        for (std::size_t j = 0; j < width_; ++j) out[j] = w[static_cast<std::size_t>(columns_[j])];
        return out.data();
    }

    // w += change
    void add(const std::vector<double>& change, std::vector<double>& w) const {
        for (std::size_t j = 0; j < width_; ++j) w[place_.empty() ? j : static_cast<std::size_t>(columns_[j])] += change[j];
    }

private:
    std::vector<std::int32_t> rows_, columns_, place_;
    std::size_t width_ = 0;
    bool deep_ = false;
};

}  // namespace separatrix
