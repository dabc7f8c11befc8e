// How many bytes the objects of a collection take that somebody keeps, object by object. The one
// thing to know: it is an estimate made to be bounded, and knows no object but by the hash of its
// uid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace elbowroom::api {

class KeptBytes {
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
