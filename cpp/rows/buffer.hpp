// Uninitialised memory for large arrays, on huge pages where the system offers them and the caller wants them.
//
// A pass that follows sparse indices touches many pages; with 4 KiB pages the translation misses cost as much as
// the arithmetic. Uninitialised, because std::vector would write every byte once before it is used.
//
// The first touch of a huge page can be dear: a virtual machine may have to get its memory back from the host, which
// took up to 3 ms for each MiB where small pages, recycled more often, took 0.6. So memory that is written in sequence
// and may not be read often asks for ordinary pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace separatrix {

enum class Pages { ordinary, huge };

template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size, Pages pages = Pages::huge) : size_(size) {
        const std::size_t page = pages == Pages::huge && size * sizeof(T) >= 2 * huge ? huge : 64;
        const std::size_t bytes = (size * sizeof(T) + page) / page * page;
        data_.reset(static_cast<T*>(std::aligned_alloc(page, bytes)));
        if (!data_) throw std::bad_alloc();
#if defined(__linux__)
        if (page == huge) madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a hint: failure changes nothing
#endif
    }

    // At least `size` elements, whose values are lost if there were fewer.
    void make_room(std::size_t size) {
        if (size <= size_) return;
        *this = Buffer();  // first, so that the two are never there together
        *this = Buffer(size);
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    static constexpr std::size_t huge = std::size_t{1} << 21;
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace separatrix
