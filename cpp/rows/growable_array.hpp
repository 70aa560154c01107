// An array that grows at its end without being written twice.
//
// std::vector would set every new element to zero and copy the old ones; realloc moves the pages of a large block
// instead of its bytes, and pages that were reserved but never written cost nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace separatrix {

template <class T>
class Growing {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Growing() = default;
    Growing(Growing&& other) noexcept { swap(other); }
    Growing& operator=(Growing&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Growing() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* end() { return data_ + size_; }

    // Room for at least `capacity` elements; grows by half at least, so that appending is linear in the end.
    void reserve(std::size_t capacity) {
        if (capacity > capacity_) resize_block(std::max(capacity, capacity_ + capacity_ / 2));
    }
    // Within the room that was reserved; new elements are whatever the memory holds.
    void set_size(std::size_t size) { size_ = size; }
    void push(T value) {
        if (size_ == capacity_) reserve(std::max<std::size_t>(64, 2 * size_));
        data_[size_++] = value;
    }
    void clear() { size_ = 0; }

    // Hands the memory over, cut to its size, to whoever will call std::free.
    T* release() {
        if (size_ < capacity_) resize_block(std::max<std::size_t>(1, size_));
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

private:
    void resize_block(std::size_t capacity) {
        void* moved = std::realloc(static_cast<void*>(data_), std::max<std::size_t>(1, capacity) * sizeof(T));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
#if defined(__linux__)
        // Huge pages: a fault for every 4 KiB would cost as much as writing them. A hint; failure changes nothing.
        if (capacity * sizeof(T) >= std::size_t{1} << 23) {
            const auto begin = (reinterpret_cast<std::uintptr_t>(data_) + 4095) / 4096 * 4096;
            madvise(reinterpret_cast<void*>(begin), capacity * sizeof(T) - 4096, MADV_HUGEPAGE);
        }
#endif
    }
    void swap(Growing& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace separatrix
