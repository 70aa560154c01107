// Points of any kind (dense or CSR, float or double), read as T: dense with a step, or by their entries.
//
// For kernels of distances dense points are read relative to a centre: a float's relative error is then that of the
// spread of the data, not of their place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rows/rows.hpp"

namespace separatrix {

class Points {
public:
    virtual ~Points() = default;
    Index rows = 0;
    Index columns = 0;
    std::vector<double> centre;  // empty: the origin

    // out[c * step] = value of column c of point i, relative to the centre
    virtual void read(Index i, float* out, Index step) const = 0;
    virtual void read(Index i, double* out, Index step) const = 0;
    // The nonzero values of point i and their columns; returns how many. The centre is not looked at.
    virtual Index entries(Index i, float* values, std::int32_t* indices) const = 0;
    virtual Index entries(Index i, double* values, std::int32_t* indices) const = 0;
    virtual Index count(Index i) const = 0;
    virtual double squared_norm(Index i) const = 0;
    virtual void find_centre() = 0;

    // The share of entries that are not zero, from some of the points.
    double density() const {
        constexpr Index sample = 200;
        const Index step = rows <= sample ? 1 : rows / sample;
        Index seen = 0, found = 0;
        for (Index i = 0; i < rows; i += step) {
            seen += columns;
            found += count(i);
        }
        return seen == 0 ? 1.0 : static_cast<double>(found) / static_cast<double>(seen);
    }
};

template <class V>
class DensePoints final : public Points {
public:
    explicit DensePoints(const DenseRows<V>& view) : view_(view) { rows = view.rows, columns = view.columns; }

    void read(Index i, float* out, Index step) const override { copy(i, out, step); }
    void read(Index i, double* out, Index step) const override { copy(i, out, step); }
    Index entries(Index i, float* values, std::int32_t* indices) const override { return pick(i, values, indices); }
    Index entries(Index i, double* values, std::int32_t* indices) const override { return pick(i, values, indices); }
    Index count(Index i) const override {
        const V* x = view_.row(i).values;
        Index found = 0;
        for (Index c = 0; c < columns; ++c) found += x[c] != 0;
        return found;
    }
    double squared_norm(Index i) const override {
        const V* x = view_.row(i).values;
        double sums[4] = {0, 0, 0, 0};  // four additions at a time: one would wait for the one before
        for (Index c = 0; c < columns; ++c) {
            const double value =
                static_cast<double>(x[c]) - (centre.empty() ? 0.0 : centre[static_cast<std::size_t>(c)]);
            sums[c & 3] += value * value;
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    void find_centre() override {
        centre.assign(static_cast<std::size_t>(columns), 0.0);
        for (Index i = 0; i < rows; ++i) {
            const V* x = view_.row(i).values;
            for (Index c = 0; c < columns; ++c) centre[static_cast<std::size_t>(c)] += static_cast<double>(x[c]);
        }
        for (double& mean : centre) mean /= static_cast<double>(rows > 0 ? rows : 1);
    }

private:
    template <class T>
    void copy(Index i, T* out, Index step) const {
        const V* x = view_.row(i).values;
        if (centre.empty()) {
            for (Index c = 0; c < columns; ++c) out[c * step] = static_cast<T>(x[c]);
        } else {
            const double* from = centre.data();
            for (Index c = 0; c < columns; ++c) out[c * step] = static_cast<T>(static_cast<double>(x[c]) - from[c]);
        }
    }
    template <class T>
    Index pick(Index i, T* values, std::int32_t* indices) const {
        const V* x = view_.row(i).values;
        Index found = 0;
        for (Index c = 0; c < columns; ++c) {
            values[found] = static_cast<T>(x[c]);
            indices[found] = static_cast<std::int32_t>(c);
            found += x[c] != 0;
        }
        return found;
    }
    DenseRows<V> view_;
};

template <class V, class I>
class SparsePoints final : public Points {
public:
    explicit SparsePoints(const SparseRows<V, I>& view) : view_(view) { rows = view.rows, columns = view.columns; }

    void read(Index i, float* out, Index step) const override { spread(i, out, step); }
    void read(Index i, double* out, Index step) const override { spread(i, out, step); }
    Index entries(Index i, float* values, std::int32_t* indices) const override { return pick(i, values, indices); }
    Index entries(Index i, double* values, std::int32_t* indices) const override { return pick(i, values, indices); }
    Index count(Index i) const override { return view_.row(i).size; }
    double squared_norm(Index i) const override {
        const auto row = view_.row(i);
        double sum = 0;
        for (Index e = 0; e < row.size; ++e)
            sum += static_cast<double>(row.values[e]) * static_cast<double>(row.values[e]);
        return sum;
    }
    void find_centre() override {}  // the origin: zeros are what makes it sparse

private:
    template <class T>
    void spread(Index i, T* out, Index step) const {
        for (Index c = 0; c < columns; ++c) out[c * step] = 0;
        const auto row = view_.row(i);
        for (Index e = 0; e < row.size; ++e)
            out[static_cast<Index>(row.indices[e]) * step] = static_cast<T>(row.values[e]);
    }
    template <class T>
    Index pick(Index i, T* values, std::int32_t* indices) const {
        const auto row = view_.row(i);
        for (Index e = 0; e < row.size; ++e) {
            values[e] = static_cast<T>(row.values[e]);
            indices[e] = static_cast<std::int32_t>(row.indices[e]);
        }
        return row.size;
    }
    SparseRows<V, I> view_;
};

template <class V>
std::unique_ptr<Points> points_over(const DenseRows<V>& view) {
    return std::make_unique<DensePoints<V>>(view);
}
template <class V, class I>
std::unique_ptr<Points> points_over(const SparseRows<V, I>& view) {
    return std::make_unique<SparsePoints<V, I>>(view);
}

}  // namespace separatrix
