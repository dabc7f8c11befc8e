// A sum of amounts that supports subtraction. It is wider than 64 bits, so it stays exact where its
// amounts saturate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "policy/model/resources.h"

namespace elbowroom::policy {

class WideSum {
 public:
  void add(const Resources& amounts) { change(amounts, 1); }
  // Subtracts amounts. Requires that they were added.
  void take(const Resources& amounts) { change(amounts, -1); }

  [[nodiscard]] Resources total() const {
    Resources total{.cpu = {saturated(cpu_)},
                    .memory = {saturated(memory_)},
                    .ephemeral_storage = {saturated(storage_)}};
    for (const auto& [name, amount] : others_) total.others.emplace(name, saturated(amount));
    return total;
  }

 private:
  __extension__ using Wide = __int128;

  static std::int64_t saturated(Wide amount) {
    return static_cast<std::int64_t>(std::min(amount, static_cast<Wide>(kMaxAmount)));
  }

  void change(const Resources& amounts, int sign) {
    cpu_ += static_cast<Wide>(amounts.cpu.value) * sign;
    memory_ += static_cast<Wide>(amounts.memory.value) * sign;
    storage_ += static_cast<Wide>(amounts.ephemeral_storage.value) * sign;
    for (const auto& [name, amount] : amounts.others) {
      const auto at = others_.try_emplace(name, 0).first;
      at->second += static_cast<Wide>(amount) * sign;
      if (at->second == 0) others_.erase(at);
    }
  }

  Wide cpu_ = 0;
  Wide memory_ = 0;
  Wide storage_ = 0;
  std::map<std::string, Wide, std::less<>> others_{};
};

}  // namespace elbowroom::policy
