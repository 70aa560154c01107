// The reader of LIBSVM text for Python: buffers in, arrays out, GIL released, no logic.
#if defined(__linux__)
#include <malloc.h>
#endif
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstdlib>
#include <variant>

#include "text/libsvm_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace separatrix;

namespace {

using Text = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The array's memory goes to NumPy, which frees it.
template <class T>
nb::object hand_over(Growing<T>& array) {
    array.reserve(1);
    const std::size_t size = array.size();
    T* const data = array.release();
    const nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

const char* name_of(TextFault fault) {
    switch (fault) {
        case TextFault::none:
            return "";
        case TextFault::index:
            return "index";
        case TextFault::colon:
            return "colon";
        case TextFault::number:
            return "number";
        case TextFault::not_finite:
            return "not_finite";
        case TextFault::too_large:
            return "too_large";
        case TextFault::inexact:
            return "inexact";
        case TextFault::separator:
            return "separator";
        case TextFault::zero_index:
            return "zero_index";
        case TextFault::beyond:
            return "beyond";
        case TextFault::huge_index:
            return "huge_index";
        case TextFault::twice:
            return "twice";
        case TextFault::many_labels:
            return "many_labels";
        case TextFault::no_label:
            return "no_label";
        case TextFault::label:
            return "label";
        case TextFault::query:
            return "query";
        case TextFault::no_query:
            return "no_query";
        case TextFault::query_unasked:
            return "query_unasked";
    }
    return "";
}

struct HeldReader {
    std::variant<LibsvmReader<double>, LibsvmReader<float>> reader;
    template <class Call>
    auto with(const Call& call) {
        return std::visit(call, reader);
    }
};

HeldReader* new_reader(bool single, bool zero_based, bool zero_allowed, bool drop_beyond, std::int64_t n_columns,
                       int n_threads) {
    const TextRules rules{zero_based, zero_allowed, drop_beyond, n_columns, {}, {}};
    if (single) return new HeldReader{LibsvmReader<float>(rules, n_threads)};
    return new HeldReader{LibsvmReader<double>(rules, n_threads)};
}

template <class Reader>
nb::object take(Reader& reader) {
    nb::object columns = reader.is_wide() ? hand_over(reader.wide().columns) : hand_over(reader.narrow().columns);
    nb::object values = reader.is_wide() ? hand_over(reader.wide().values) : hand_over(reader.narrow().values);
    return nb::make_tuple(values, columns, hand_over(reader.ends()), hand_over(reader.codes()),
                          hand_over(reader.queries()));
}

template <class Reader>
nb::object error_of(Reader& reader) {
    const TextError& error = reader.error();
    return nb::make_tuple(name_of(error.fault), error.line, error.column,
                          nb::bytes(error.found.data(), error.found.size()));
}

template <class Reader>
nb::object labels_of(Reader& reader) {
    nb::list labels;
    for (const KnownLabel& label : reader.labels()) {
        labels.append(nb::make_tuple(nb::bytes(label.text.data(), label.text.size()), label.line, label.column));
    }
    return labels;
}

// The C library learns from what is freed to keep ever larger blocks, up to 32 MiB each, for later: after a few vectors
// of a row each the process holds twice what it uses, which counts where memory is short.
void return_freed_memory() {
#if defined(M_MMAP_THRESHOLD)
    mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

}  // namespace

void bind_text(nb::module_& m) {
    m.def("return_freed_memory", &return_freed_memory,
          "From now on arrays of 256 KiB or more go back to the system when they are freed.");
    nb::class_<HeldReader>(m, "LibsvmReader", "LIBSVM text in buffers of any size to CSR arrays.")
        .def(
            "feed",
            [](HeldReader& self, const Text& text) {
                nb::gil_scoped_release release;
                return self.with(
                    [&](auto& reader) { return reader.feed(reinterpret_cast<const char*>(text.data()), text.size()); });
            },
            "text"_a.noconvert(), "Parse the lines that end in this buffer; False after a fault.")
        .def(
            "finish", [](HeldReader& self) { return self.with([](auto& reader) { return reader.finish(); }); },
            "Parse a last line that has no line end; False after a fault.")
        .def(
            "take", [](HeldReader& self) { return self.with([](auto& reader) { return take(reader); }); },
            nb::sig("def take(self) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]"),
            "Values, columns, end of each row, label code and query of each row, of the rows since the last "
            "call.")
        .def(
            "error", [](HeldReader& self) { return self.with([](auto& reader) { return error_of(reader); }); },
            nb::sig("def error(self) -> tuple[str, int, int, bytes]"),
            "The fault, its line and column from 1, and what stands there.")
        .def(
            "labels", [](HeldReader& self) { return self.with([](auto& reader) { return labels_of(reader); }); },
            nb::sig("def labels(self) -> list[tuple[bytes, int, int]]"), "Each distinct label, and where it was first.")
        .def_prop_ro(
            "rows", [](HeldReader& self) { return self.with([](auto& reader) { return reader.rows(); }); },
            "Rows so far.")
        .def_prop_ro(
            "entries", [](HeldReader& self) { return self.with([](auto& reader) { return reader.entries(); }); },
            "Entries so far.")
        .def_prop_ro(
            "width", [](HeldReader& self) { return self.with([](auto& reader) { return reader.width(); }); },
            "The largest column so far, plus 1.")
        .def_prop_ro(
            "dropped", [](HeldReader& self) { return self.with([](auto& reader) { return reader.dropped(); }); },
            "Entries left out so far.")
        .def_prop_ro(
            "zero_seen", [](HeldReader& self) { return self.with([](auto& reader) { return reader.zero_seen(); }); },
            "Whether an index was 0.")
        .def_prop_ro(
            "has_labels", [](HeldReader& self) { return self.with([](auto& reader) { return reader.has_labels(); }); },
            "Whether rows have labels.")
        .def_prop_ro(
            "has_queries",
            [](HeldReader& self) { return self.with([](auto& reader) { return reader.has_queries(); }); },
            "Whether rows have a qid.");
    m.def("libsvm_reader", &new_reader, nb::rv_policy::take_ownership, nb::kw_only(), "single"_a, "zero_based"_a,
          "zero_allowed"_a, "drop_beyond"_a, "n_columns"_a, "n_threads"_a,
          "A reader of LIBSVM text; n_columns bounds the columns that are kept.");
}
