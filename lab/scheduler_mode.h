// The modes of the lab's scheduler. In mode full it also places the pods that name no scheduler,
// because no other scheduler runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace elbowroom::lab {

enum class SchedulerMode : std::uint8_t { None, Resize, Full };

// The schedulerName of the pods that it places.
[[nodiscard]] inline std::set<std::string, std::less<>> placed_in(SchedulerMode mode) {
  if (mode != SchedulerMode::Full) return {};
  return {"", "default-scheduler", "elbowroom"};
}

}  // namespace elbowroom::lab
