// A map for looking things up, with an order that nothing can see: it is walked only to drop what
// is not used any more. The same on every machine. Keys that were made to collide cost a search of
// their bucket, which is ordered, and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace elbowroom::policy {

// Source: the FNV-1a hash, with a last mix, as its low bits alone choose a bucket.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return hash ^ (hash >> 29U);
}

// hash_of(key) must exist for Key, and for what it is looked up by, and be equal for equal keys.
template <class Key, class Value>
class HashedMap {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  template <class Wanted>
  [[nodiscard]] const Value* find(const Wanted& key) const {
    const Bucket& in = buckets_[place_of(key)];
    const auto at = in.find(key);
    return at == in.end() ? nullptr : &at->second;
  }
  template <class Wanted>
  [[nodiscard]] Value* find(const Wanted& key) {
    return const_cast<Value*>(std::as_const(*this).find(key));
  }

  // The value of that key, made if it is not there.
  Value& operator[](Key key) {
    if (size_ >= kMost * buckets_.size()) grow();
    const auto [at, added] = buckets_[place_of(key)].try_emplace(std::move(key));
    if (added) ++size_;
    return at->second;
  }

  template <class Wanted>
  void erase(const Wanted& key) {
    Bucket& in = buckets_[place_of(key)];
    const auto at = in.find(key);
    if (at == in.end()) return;
    in.erase(at);
    --size_;
  }

  // should_go(value) is asked once for each.
  template <class ShouldGo>
  void erase_if(ShouldGo should_go) {
    for (Bucket& in : buckets_) {
      size_ -= std::erase_if(in, [&](const auto& each) { return should_go(each.second); });
    }
  }

 private:
  static constexpr std::size_t kMost = 4;  // keys for each bucket
  using Bucket = std::map<Key, Value, std::less<>>;

  template <class Wanted>
  [[nodiscard]] std::size_t place_of(const Wanted& key) const {
    return static_cast<std::size_t>(hash_of(key)) & (buckets_.size() - 1);
  }

  void grow() {
    std::vector<Bucket> old(buckets_.size() * 2);
    old.swap(buckets_);
    for (Bucket& in : old) {
      while (!in.empty()) {
        auto node = in.extract(in.begin());
        buckets_[place_of(node.key())].insert(std::move(node));
      }
    }
  }

  std::vector<Bucket> buckets_{Bucket()};  // a power of two of them
  std::size_t size_ = 0;
};

}  // namespace elbowroom::policy
