// operator new and delete for programs that only play histories: blocks of a few sizes, never
// returned to the system. A history creates and drops hundreds of thousands of small values, and
// glibc's heap took a quarter of its time; sanitizers keep their own heap.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kStep = 16;       // sizes are multiples of it, and so are addresses
constexpr std::size_t kLargest = 2048;  // longer ones are glibc's
constexpr std::size_t kClasses = kLargest / kStep + 1;
constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::size_t kRegion = std::size_t{8} << 30;  // of addresses; memory once it is touched
constexpr std::size_t kChunks = kRegion / kChunk;

struct Free {
  Free* next;
};

// The start of the region; nullptr before the first block is made, which is before a second thread
// exists.
constinit std::byte* region = nullptr;

bool reserve_region() {
  void* const at = mmap(nullptr, kRegion, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) region = static_cast<std::byte*>(at);
  if (at != MAP_FAILED) madvise(at, kRegion, MADV_HUGEPAGE);
  return at != MAP_FAILED;
}

std::atomic<std::size_t> chunks_taken{0};
std::array<std::uint8_t, kChunks> class_of_chunk{};
// A block belongs to the list of the thread that freed it last.
thread_local std::array<Free*, kClasses> free_blocks{};

// Fills the list of that class with a new chunk and returns its first block.
void* cut_chunk(std::size_t size_class) {
  const std::size_t chunk = chunks_taken.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= kChunks || (region == nullptr && !reserve_region())) return nullptr;
  class_of_chunk[chunk] = static_cast<std::uint8_t>(size_class);
  std::byte* const begin = region + chunk * kChunk;
  const std::size_t size = size_class * kStep;
  Free* list = nullptr;
  for (std::size_t at = (kChunk / size - 1) * size; at > 0; at -= size) {
    list = new (begin + at) Free{list};
  }
  free_blocks[size_class] = list;
  return begin;
}

void* allocate(std::size_t size) {
  const std::size_t size_class = (size + kStep - 1) / kStep + (size == 0 ? 1 : 0);
  if (size_class < kClasses) [[likely]] {
    Free* const block = free_blocks[size_class];
    if (block != nullptr) [[likely]] {
      free_blocks[size_class] = block->next;
      __builtin_prefetch(block->next, 1);  // it may have been free for long
      return block;
    }
    if (void* const first = cut_chunk(size_class)) return first;
  }
  return std::malloc(size);
}

void release(void* block) {
  if (block == nullptr) return;
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(region);
  if (offset >= kRegion) return std::free(block);
  const std::size_t size_class = class_of_chunk[offset / kChunk];
  free_blocks[size_class] = new (block) Free{free_blocks[size_class]};
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const block = allocate(size)) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
