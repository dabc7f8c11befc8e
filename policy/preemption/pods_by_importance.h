// The pods that hold room on one node, most important first. They are stored in blocks of a few
// hundred, so that adding or removing one costs the same on a node of 20,000 pods. On a usual node
// they are contiguous.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace elbowroom::policy {

// A list of T in an order that its user maintains.
template <class T>
class Blocks {
 public:
  static constexpr std::size_t kMost = 512;  // per block

  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const Blocks* of, std::size_t block, std::size_t at)
        : of_(of), block_(block), at_(at) {}

    const T& operator*() const { return of_->blocks_[block_][at_]; }
    const T* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == of_->blocks_[block_].size()) {
        ++block_;
        at_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class Blocks;
    const Blocks* of_ = nullptr;
    std::size_t block_ = 0;
    std::size_t at_ = 0;
  };

  [[nodiscard]] Iterator begin() const { return {this, 0, 0}; }
  [[nodiscard]] Iterator end() const { return {this, blocks_.size(), 0}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Inserts behind all that are not greater, as `key` orders them.
  template <class Key>
  void insert(T value, Key key) {
    const auto wanted = key(value);
    ++size_;
    if (blocks_.empty()) {
      blocks_.emplace_back().push_back(std::move(value));
      return;
    }
    auto block = std::ranges::upper_bound(
        blocks_, wanted, {}, [&](const std::vector<T>& each) { return key(each.front()); });
    if (block != blocks_.begin()) --block;
    block->insert(std::ranges::upper_bound(*block, wanted, {}, key), std::move(value));
    if (block->size() > kMost) split(block);
  }

  // The first that equals `wanted` by `key` and satisfies `is_it`, or end().
  template <class Wanted, class Key, class IsIt>
  [[nodiscard]] Iterator find(const Wanted& wanted, Key key, IsIt is_it) const {
    auto block = std::ranges::lower_bound(
        blocks_, wanted, {}, [&](const std::vector<T>& each) { return key(each.back()); });
    if (block == blocks_.end()) return end();
    const auto at = std::ranges::lower_bound(*block, wanted, {}, key);
    for (Iterator each{this, static_cast<std::size_t>(block - blocks_.begin()),
                       static_cast<std::size_t>(at - block->begin())};
         each != end() && !(wanted < key(*each)); ++each) {
      if (is_it(*each)) return each;
    }
    return end();
  }

  void erase(Iterator at) {
    std::vector<T>& block = blocks_[at.block_];
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at.at_));
    --size_;
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block_));
  }

 private:
  void split(typename std::vector<std::vector<T>>::iterator block) {
    const auto half = block->begin() + static_cast<std::ptrdiff_t>(block->size() / 2);
    std::vector<T> rest(std::make_move_iterator(half), std::make_move_iterator(block->end()));
    block->erase(half, block->end());
    blocks_.insert(block + 1, std::move(rest));
  }

  std::vector<std::vector<T>> blocks_{};  // no block is empty
  std::size_t size_ = 0;
};

}  // namespace elbowroom::policy
