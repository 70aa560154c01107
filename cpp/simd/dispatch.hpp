// One choice of instruction set for the whole library, and the tables of loops that come with it.
//
// Every loop that gains from wide registers is compiled once per instruction set, into a namespace of its own, and is
// reached through the table of its room: simd().rows, simd().perceptron, simd().kernel, simd().small.
#pragma once

namespace separatrix {

struct RowTable;         // simd/table.hpp
struct PerceptronTable;  // perceptron/perceptron_kernels.hpp
struct KernelTable;      // smo/kernel_table.hpp
struct SmallTable;       // small/small_problem.hpp

struct Simd {
    const char* name;
    const RowTable& rows;
    const PerceptronTable& perceptron;
    const KernelTable& kernel;
    const SmallTable& small;
};

// The tables for this CPU, chosen on first use: the best instruction set it has, or the one that the environment
// variable SEPARATRIX_ISA names (baseline, avx2, avx512) if the CPU has that.
const Simd& simd();

// Parts of a table that are found by their type. A namespace that fills them in says once, as a specialisation of its
// variable template `made`, what a part of some kind holds: {made<Parts>...}.
template <class... Parts>
struct Entries : Parts... {};

}  // namespace separatrix
