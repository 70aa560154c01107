// LIBSVM text that arrives in buffers of any size, parsed by several threads into arrays that grow.
//
// A buffer is cut at line ends into pieces. Threads take pieces in order, parse each into memory of their own, and
// then, in the order of the text, reserve its place in the result; the copying overlaps the parsing of other pieces.
// The text after the last line end, and the last few bytes, are carried over to the next buffer, because parsing
// reads a little ahead. Beside the result, memory is that of the pieces and of the longest line.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "rows/threads.hpp"
#include "text/libsvm_text.hpp"

namespace separatrix {

// The first fault of a text: line and column count from 1 (columns in bytes); found is what stands there.
struct TextError {
    TextFault fault = TextFault::none;
    std::int64_t line = 0;
    std::int64_t column = 0;
    std::string found;
};

struct KnownLabel {
    std::string text;
    std::int64_t line;
    std::int64_t column;
};

template <class Value, class Column>
struct TextRows {
    Growing<Value> values;
    Growing<Column> columns;
};

template <class Value>
class LibsvmReader {
public:
    LibsvmReader(const TextRules& rules, int n_threads) : rules_(rules), n_threads_(std::max(1, n_threads)) {}

    // False after a fault, which `error` tells; nothing may be fed after it.
    bool feed(const char* text, std::size_t size) {
        const char* const end = text + size;
        if (!carried_.empty()) {
            // The carried line is completed by what comes up to the next line end.
            const char* const stop = size ? line_end(text, end) : nullptr;
            carried_.append(text, static_cast<std::size_t>((stop ? stop + 1 : end) - text));
            if (!stop) return true;
            text = stop + 1;
            if (!parse_carried()) return false;
        }
        const char* last = text;  // the end of the last line that may be parsed where it is
        for (const char* p = end - std::min<std::ptrdiff_t>(end - text, decimal_padding); p > text; --p) {
            if (p[-1] == '\n') {
                last = p;
                break;
            }
        }
        if (last > text && !parse(text, last)) return false;
        // Whole lines among the last bytes too: the carried text must be one line.
        for (text = last; text < end;) {
            const char* const stop = line_end(text, end);
            carried_.assign(text, static_cast<std::size_t>((stop ? stop + 1 : end) - text));
            if (!stop) break;
            if (!parse_carried()) return false;
            text = stop + 1;
        }
        return true;
    }

    // The end of the text: a last line needs no line end.
    bool finish() {
        if (carried_.empty()) return true;
        carried_.push_back('\n');
        return parse_carried();
    }

    const TextError& error() const { return error_; }
    const std::vector<KnownLabel>& labels() const { return labels_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t entries() const { return entries_; }
    std::int64_t width() const { return width_; }
    std::int64_t dropped() const { return dropped_; }
    bool zero_seen() const { return zero_seen_; }
    bool has_labels() const { return rules_.labelled.value_or(false); }
    bool has_queries() const { return rules_.queried.value_or(false); }
    bool is_wide() const { return is_wide_; }

    // Rows since the last call of take: ends of rows count from there.
    TextRows<Value, std::int32_t>& narrow() { return narrow_; }
    TextRows<Value, std::int64_t>& wide() { return wide_; }
    Growing<std::int64_t>& ends() { return ends_; }
    Growing<std::uint32_t>& codes() { return codes_; }
    Growing<std::int64_t>& queries() { return queries_; }

private:
    static constexpr std::ptrdiff_t piece_size = std::ptrdiff_t{1} << 19;

    bool parse_carried() {
        const std::size_t size = carried_.size();
        carried_.append(decimal_padding, '\n');
        const bool good = parse(carried_.data(), carried_.data() + size);
        carried_.clear();
        return good;
    }

    bool parse(const char* begin, const char* end) {
        if (!is_wide_) {
            begin = parse_as(narrow_, begin, end);
            if (begin == end || error_.fault != TextFault::none) return begin == end;
            widen();
        }
        return parse_as(wide_, begin, end) == end;
    }

    // The place that it came to: the end, to the piece with a fault, or to the first that Column is too narrow for.
    template <class Column>
    const char* parse_as(TextRows<Value, Column>& out, const char* begin, const char* end) {
        while (!rules_.labelled && begin < end) {  // the first row decides what all rows have
            const char* const stop = piece_end(begin, end);
            begin = share(out, begin, stop, 1);
            if (begin != stop) return begin;
        }
        return share(out, begin, end, n_threads_);
    }

    static const char* piece_end(const char* begin, const char* end) {
        return end - begin <= piece_size ? end : line_end(begin + piece_size - 1, end) + 1;
    }

    template <class Column>
    const char* share(TextRows<Value, Column>& out, const char* begin, const char* end, int n_threads) {
        if (begin == end) return end;
        // Threads write while others reserve, so the memory must not move: room for all there can be.
        const std::size_t most = out.values.size() + static_cast<std::size_t>(end - begin) / 4 + 1;
        out.values.reserve(most);
        out.columns.reserve(most);
        Turns turns(begin, end);
        const auto n_pieces = (end - begin + piece_size - 1) / piece_size;
        const int helpers = static_cast<int>(std::min<std::ptrdiff_t>(n_threads, n_pieces));
        run_pieces(helpers, helpers, [&](int) {
            try {
                work(turns, out);
            } catch (...) {  // no memory
                const std::lock_guard lock(turns.mutex);
                turns.failure = std::current_exception();
                turns.stop();
            }
        });
        if (turns.failure) std::rethrow_exception(turns.failure);
        return turns.done;
    }

    // Pieces are taken and put in place in the order of the text.
    struct Turns {
        const char* next;  // where the next piece begins
        const char* done;  // all before this is in its place
        const char* end;
        bool stopped = false;
        std::exception_ptr failure;
        std::mutex mutex;
        std::condition_variable changed;

        Turns(const char* begin, const char* stop) : next(begin), done(begin), end(stop) {}
        void stop() {
            stopped = true;
            changed.notify_all();
        }
    };

    template <class Column>
    void work(Turns& turns, TextRows<Value, Column>& out) {
        TextPiece<Value, Column> piece;
        for (;;) {
            std::unique_lock lock(turns.mutex);
            if (turns.stopped || turns.next == turns.end) return;
            const char* const begin = turns.next;
            const char* const end = turns.next = piece_end(begin, turns.end);
            lock.unlock();
            piece.parse(begin, end, rules_);
            lock.lock();
            turns.changed.wait(lock, [&] { return turns.done == begin || turns.stopped; });
            if (turns.stopped) return;
            if (piece.fault != TextFault::none) report(piece.fault, piece.place, end);
            if (piece.needs_wide || piece.fault != TextFault::none) return turns.stop();
            const std::size_t entry = out.values.size();
            append_rows(piece, entry);
            out.values.set_size(entry + piece.values.size());
            out.columns.set_size(entry + piece.columns.size());
            turns.done = end;
            turns.changed.notify_all();
            lock.unlock();
            std::copy_n(piece.values.data(), piece.values.size(), out.values.data() + entry);
            std::copy_n(piece.columns.data(), piece.columns.size(), out.columns.data() + entry);
        }
    }

    template <class Piece>
    void append_rows(Piece& piece, std::size_t first_entry) {
        std::vector<std::uint32_t> renamed;
        for (const LabelToken& label : piece.table.labels()) {
            const auto [found, is_new] =
                known_.try_emplace(std::string(label.text), static_cast<std::uint32_t>(labels_.size()));
            if (is_new) {
                labels_.push_back(
                    {found->first, lines_ + label.place.line + 1, label.place.at - label.place.line_begin + 1});
            }
            renamed.push_back(found->second);
        }
        const std::size_t n_rows = piece.ends.size();
        for (std::size_t r = 0; r < n_rows; ++r) ends_.push(static_cast<std::int64_t>(first_entry) + piece.ends[r]);
        for (std::size_t r = 0; r < piece.labels.size(); ++r) codes_.push(renamed[piece.labels[r]]);
        for (std::size_t r = 0; r < piece.queries.size(); ++r) queries_.push(piece.queries[r]);
        if (n_rows && !rules_.labelled) {
            rules_.labelled = piece.labels.size() > 0;
            rules_.queried = piece.queries.size() > 0;
        }
        rows_ += static_cast<std::int64_t>(n_rows);
        entries_ += static_cast<std::int64_t>(piece.values.size());
        width_ = std::max(width_, piece.width);
        dropped_ += piece.dropped;
        zero_seen_ |= piece.zero_seen;
        lines_ += piece.lines;
    }

    void report(TextFault fault, const TextPlace& place, const char* end) {
        const char* stop = place.at;
        while (stop < end && stop - place.at < 40 && *stop != '\n' && !is_blank(*stop)) ++stop;
        error_ = {fault, lines_ + place.line + 1, place.at - place.line_begin + 1, std::string(place.at, stop)};
    }

    void widen() {
        is_wide_ = true;
        const std::size_t size = narrow_.values.size();
        wide_.columns.reserve(size);
        std::copy_n(narrow_.columns.data(), size, wide_.columns.data());
        wide_.columns.set_size(size);
        wide_.values = std::move(narrow_.values);
        narrow_ = {};
    }

    TextRules rules_;
    int n_threads_;
    std::string carried_;  // an unfinished line
    TextError error_;
    TextRows<Value, std::int32_t> narrow_;
    TextRows<Value, std::int64_t> wide_;
    bool is_wide_ = false;
    Growing<std::int64_t> ends_;
    Growing<std::uint32_t> codes_;
    Growing<std::int64_t> queries_;
    std::unordered_map<std::string, std::uint32_t> known_;
    std::vector<KnownLabel> labels_;
    std::int64_t lines_ = 0, rows_ = 0, entries_ = 0, width_ = 0, dropped_ = 0;
    bool zero_seen_ = false;
};

}  // namespace separatrix
