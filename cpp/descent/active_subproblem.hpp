// A descent on some rows of another one: where it begins, and what it has come to in terms of the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "descent/acceleration.hpp"
#include "descent/active_rows.hpp"
#include "descent/descent_interface.hpp"
#include "descent/step_timing.hpp"

namespace separatrix {

template <class To, class From>
std::vector<To> picked(const std::vector<From>& values, const std::vector<std::int32_t>& which) {
    std::vector<To> some;
    some.reserve(which.size());
    for (const std::int32_t k : which) some.push_back(static_cast<To>(values[static_cast<std::size_t>(k)]));
    return some;
}

// Sums over rows that matter to a bias.
struct BiasSums {
    double s = 0;     // sum_i alpha_i y_i
    double room = 0;  // sum over rows inside their bounds of the distance to the nearer bound

    static BiasSums of(const std::vector<Coordinate>& coordinates, bool squared) {
        BiasSums sums;
        for (const Coordinate& at : coordinates) {
            sums.s += at.alpha * at.label();
            sums.room += squared ? at.alpha : std::min(at.alpha, at.limit - at.alpha);
        }
        return sums;
    }
    void add(const BiasSums& other, double sign) {
        s += sign * other.s;
        room += sign * other.room;
    }
};

// Where a descent on some rows of another one begins.
struct DescentStart {
    std::vector<Coordinate> coordinates;
    std::vector<double> w;
    double bias, centre;
    ActiveRows active;
    Index epochs;
    int precision;
    double dual;
    BiasSums rest;  // of the rows left out
    Acceleration acceleration;
    StepTiming timing;
    std::shared_ptr<const void> rows;  // the memory they are in
};

// What it leaves behind beside alpha, w and the bias.
struct DescentEnd {
    double dual;
    ActiveRows active;
    Index steps;  // accepted subspace steps
    Acceleration acceleration;
    StepTiming timing;
};

class InnerDescent : public Descent {
public:
    // The last call: the descent is over.
    virtual DescentEnd end() = 0;
};

// The descent on the rows `ids`, whose columns are `columns`, if there is one, and the moves of the last one.
class Focus {
public:
    void set(std::unique_ptr<InnerDescent> descent, std::vector<std::int32_t> ids, std::vector<std::int32_t> columns) {
        descent_ = std::move(descent);
        ids_ = std::move(ids);
        columns_ = std::move(columns);
        forget();
    }

    explicit operator bool() const { return descent_ != nullptr; }
    Descent* operator->() const { return descent_.get(); }

    // Calls `take(id, alpha)` for each of its rows.
    template <class Take>
    void each_alpha(const Take& take) const {
        std::vector<double> alpha(ids_.size());
        descent_->get_alpha(0, static_cast<Index>(ids_.size()), alpha.data());
        for (std::size_t k = 0; k < ids_.size(); ++k) take(static_cast<Index>(ids_[k]), alpha[k]);
    }
    // Calls `take(column, w)` for each of its columns.
    template <class Take>
    void each_w(const Take& take) const {
        std::vector<double> w(columns_.size());
        descent_->get_w(w.data());
        for (std::size_t k = 0; k < columns_.size(); ++k) take(static_cast<Index>(columns_[k]), w[k]);
    }
    DescentEnd end() {
        DescentEnd inner = std::exchange(descent_, nullptr)->end();
        inner.active = std::move(inner.active).named(ids_);
        moves_ = std::make_unique<Acceleration>(std::move(inner.acceleration));
        return inner;
    }
    // The moves of a descent that has ended, of the rows `ids`; null once they are forgotten.
    const Acceleration* moves() const { return moves_.get(); }
    const std::vector<std::int32_t>& ids() const { return ids_; }
    void forget() { moves_.reset(); }

private:
    std::unique_ptr<InnerDescent> descent_;
    std::unique_ptr<Acceleration> moves_;
    std::vector<std::int32_t> ids_, columns_;
};

}  // namespace separatrix
