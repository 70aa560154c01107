// A matrix as Python hands it over: a checked view of its rows, and the arrays that own their memory.
//
// Every solver takes this one class. `rows.visit(call)` calls back with the view of the type that the matrix has; who
// keeps the view longer than the call keeps `owners` beside it.
#pragma once

#include <utility>
#include <variant>

#include "bindings/common.hpp"

namespace separatrix {

class Rows {
public:
    using View = std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float, std::int32_t>,
                              SparseRows<float, std::int64_t>, SparseRows<double, std::int32_t>,
                              SparseRows<double, std::int64_t>>;

    Rows(View view, nb::object owners) : owners(std::move(owners)), view_(view) {}

    template <class Call>
    decltype(auto) visit(const Call& call) const {
        return std::visit(call, view_);
    }
    Index rows() const {
        return visit([](const auto& view) { return view.rows; });
    }
    Index columns() const {
        return visit([](const auto& view) { return view.columns; });
    }
    bool sparse() const {
        return visit([](const auto& view) { return view.sparse; });
    }

    nb::object owners;

private:
    View view_;
};

}  // namespace separatrix
