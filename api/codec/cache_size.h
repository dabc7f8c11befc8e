// How many bytes the kept objects of a collection take, object by object. It is an estimate for
// enforcing bounds, and identifies an object only by the hash of its uid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace elbowroom::api {

// The overhead of one node of a map or a set. The function below: the size of a text, inline or on
// the heap.
inline constexpr std::size_t kBytesOfMapNode = 48;
[[nodiscard]] inline std::size_t cached_bytes(std::string_view text) {
  constexpr std::size_t kInPlace = 15;
  return sizeof(std::string) + (text.size() > kInPlace ? text.size() + 17 : 0);
}

class CacheSize {
 public:
  void set(std::string_view uid, std::size_t bytes) {
    std::uint32_t& known = of_[std::hash<std::string_view>{}(uid)];
    total_ += bytes;
    total_ -= known;
    known = static_cast<std::uint32_t>(bytes);
  }
  void forget(std::string_view uid) {
    const auto known = of_.find(std::hash<std::string_view>{}(uid));
    if (known == of_.end()) return;
    total_ -= known->second;
    of_.erase(known);
  }
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] std::size_t objects() const { return of_.size(); }

 private:
  std::unordered_map<std::size_t, std::uint32_t> of_{};
  std::size_t total_ = 0;
};

}  // namespace elbowroom::api
