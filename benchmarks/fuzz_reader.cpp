// A coverage-guided fuzzer of the LIBSVM reader; fuzz_reader.py compiles it with address and undefined-behaviour
// sanitizers and runs it:   fuzz_reader CASES SEED
//
// Each case is a text made from an earlier one by a few random changes. It is read whole and then in pieces cut at
// random, every piece in a heap block of exactly its size, so that a byte read outside is an error of the sanitizer.
// Both ways must give the same rows or the same fault; rows must be sorted, in range and finite. A text that reaches
// new code is kept to make others from. Compiled code reports where it is through __sanitizer_cov_trace_pc.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "text/libsvm_reader.hpp"

using namespace separatrix;

namespace {

constexpr std::size_t map_size = 1 << 16;
unsigned char reached[map_size];  // places in the code, by a hash of their address
std::size_t n_news = 0;           // how many this case was the first to reach

const char* const words[] = {" ", "\n", ":", "#", "1:1 ", "qid:", "qid:3 ", "-1 ", "+1", "0", "nan", "inf", "1e", "e-", ".", "1e308",
                             "1e400", "2147483647:", "2147483648:", "4294967296:1 ", "576460752303423488:1", "99999999999999999999",
                             "0.1234567890123456789", "123456789012345678901234567890", "\t", "\r\n", ",", "a,b ", "\0", "\xff\xfe",
                             "9007199254740993", "1e-400", "4.9e-324", "2:3 1:4 ", "1:2 1:3 ", "00000000000000000001:1"};
const char* const seeds[] = {"1 1:2 3:4.5\n-1 2:1e-3 # comment\n", "+1 qid:1 1:1\n-1 qid:2 2:2\n", "a 0:1 5:2\nb 1:3\n",
                             "1:1 2:2\n3:3\n", "1 7:0.25 3:1e10 5:-7.125E+2\r\n\n# nothing\n2 12345678:3\n", ""};

struct Outcome {
    TextFault fault = TextFault::none;
    std::int64_t line = 0, column = 0, width = 0, dropped = 0;
    std::vector<double> values;
    std::vector<std::int64_t> columns, ends, queries;
    std::vector<std::uint32_t> codes;
    std::vector<std::string> labels;
    bool zero = false;
    bool operator==(const Outcome&) const = default;
};

template <class T, class U>
void collect(Growing<T>& from, std::vector<U>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(static_cast<U>(from[i]));
}

template <class Value>
Outcome read(const std::string& text, const std::vector<std::size_t>& cuts, const TextRules& rules, int n_threads) {
    LibsvmReader<Value> reader(rules, n_threads);
    bool good = true;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= cuts.size() && good; ++k) {
        const std::size_t end = k < cuts.size() ? cuts[k] : text.size();
        std::unique_ptr<char[]> block(new char[end - begin]);  // exactly as long as it is
        std::memcpy(block.get(), text.data() + begin, end - begin);
        good = reader.feed(block.get(), end - begin);
        begin = end;
    }
    good = good && reader.finish();
    Outcome out;
    if (!good) {
        out.fault = reader.error().fault;
        out.line = reader.error().line;
        out.column = reader.error().column;
        return out;
    }
    out.width = reader.width();
    out.dropped = reader.dropped();
    out.zero = reader.zero_seen();
    if (reader.is_wide()) {
        collect(reader.wide().values, out.values);
        collect(reader.wide().columns, out.columns);
    } else {
        collect(reader.narrow().values, out.values);
        collect(reader.narrow().columns, out.columns);
    }
    collect(reader.ends(), out.ends);
    collect(reader.codes(), out.codes);
    collect(reader.queries(), out.queries);
    for (const KnownLabel& label : reader.labels()) out.labels.push_back(label.text);
    return out;
}

const char* broken(const Outcome& out, const TextRules& rules) {
    if (out.fault != TextFault::none) return out.line < 1 || out.column < 1 ? "a fault without a place" : nullptr;
    if (out.values.size() != out.columns.size()) return "values and columns differ in number";
    if (!out.ends.empty() && out.ends.back() != static_cast<std::int64_t>(out.values.size())) return "rows do not end at the end";
    if (!out.codes.empty() && out.codes.size() != out.ends.size()) return "labels and rows differ in number";
    if (!out.queries.empty() && out.queries.size() != out.ends.size()) return "queries and rows differ in number";
    for (const std::uint32_t code : out.codes) if (code >= out.labels.size()) return "a label that is not known";
    for (const double value : out.values) if (!std::isfinite(value)) return "a value that is not finite";
    std::int64_t begin = 0;
    for (const std::int64_t end : out.ends) {
        if (end < begin) return "a row that ends before it begins";
        for (std::int64_t k = begin; k < end; ++k) {
            const std::int64_t column = out.columns[static_cast<std::size_t>(k)];
            if (column < (rules.zero_based ? 0 : -1) || column >= out.width || column >= rules.n_columns) return "a column out of range";
            if (k > begin && column <= out.columns[static_cast<std::size_t>(k - 1)]) return "columns that do not rise";
        }
        begin = end;
    }
    return nullptr;
}

class Fuzzer {
public:
    explicit Fuzzer(std::uint64_t seed) : random_(seed), corpus_(std::begin(seeds), std::end(seeds)) {}

    bool one_case() {
        std::string text = mutate(corpus_[below(corpus_.size())]);
        TextRules rules;
        rules.zero_based = below(4) == 0;
        rules.zero_allowed = below(4) != 0;
        if (below(4) == 0) rules.n_columns = static_cast<std::int64_t>(below(12));
        rules.drop_beyond = below(2) == 0;
        std::vector<std::size_t> cuts;
        for (std::size_t k = below(4); k > 0; --k) cuts.push_back(below(text.size() + 1));
        std::sort(cuts.begin(), cuts.end());
        const bool single = below(4) == 0;
        n_news = 0;
        const Outcome whole = single ? read<float>(text, {}, rules, 1) : read<double>(text, {}, rules, 1);
        const Outcome cut = single ? read<float>(text, cuts, rules, 1) : read<double>(text, cuts, rules, 1);
        const char* wrong = whole == cut ? broken(whole, rules) : "whole and cut texts differ";
        if (wrong) {
            std::printf("%s:\n", wrong);
            for (const char c : text) std::printf("%02x", static_cast<unsigned char>(c));
            std::printf("\n");
            return false;
        }
        faults += whole.fault != TextFault::none;
        if (n_news) corpus_.push_back(std::move(text));
        places += n_news;
        return true;
    }

    std::size_t kept() const { return corpus_.size(); }
    std::size_t places = 0, faults = 0;

private:
    std::size_t below(std::size_t n) { return n ? static_cast<std::size_t>(random_() % n) : 0; }

    std::string mutate(std::string text) {
        for (std::size_t k = 1 + below(6); k > 0; --k) {
            const std::size_t at = below(text.size() + 1), size = below(std::min<std::size_t>(text.size() - at, 16) + 1);
            switch (below(8)) {
                case 0: if (at < text.size()) text[at] = static_cast<char>(random_()); break;
                case 1: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
                case 2: text.erase(at, size); break;
                case 3: text.insert(at, text.substr(at, size)); break;
                case 4: case 5: text.insert(at, words[below(std::size(words))]); break;
                case 6: text.insert(at, std::to_string(random_() >> below(64))); break;
                case 7: {
                    const std::string& other = corpus_[below(corpus_.size())];
                    text = text.substr(0, at) + other.substr(below(other.size() + 1));
                    break;
                }
            }
            if (text.size() > 400) text.resize(400);
        }
        return text;
    }

    std::mt19937_64 random_;
    std::vector<std::string> corpus_;
};

}  // namespace

extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {
    const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::size_t place = (address ^ (address >> 16)) % map_size;
    if (reached[place]) return;
    reached[place] = 1;
    ++n_news;
}

int main(int count, char** arguments) {
    const long cases = count > 1 ? std::atol(arguments[1]) : 100000;
    Fuzzer fuzzer(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    auto slowest = std::chrono::nanoseconds(0);
    for (long k = 0; k < cases; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        if (!fuzzer.one_case()) return 1;
        slowest = std::max<std::chrono::nanoseconds>(slowest, std::chrono::steady_clock::now() - begin);
    }
    std::printf("{\"cases\": %ld, \"refused\": %zu, \"kept\": %zu, \"places\": %zu, \"slowest_ms\": %.1f}\n", cases, fuzzer.faults,
                fuzzer.kept(), fuzzer.places, static_cast<double>(slowest.count()) / 1e6);
    return 0;
}
