// Which run of the machine this is, and where its clock stands: what lets an agent that was started
// again know how long ago something was. Wall time can be set, this cannot; a time of another run
// of the machine says nothing.
#pragma once

#include <chrono>
#include <string>

namespace elbowroom::agent {

struct Boot {
  std::string id{};                       // "": not known, and then nothing is trusted
  std::chrono::milliseconds at_start{0};  // since the machine started, when this agent did

  friend bool operator==(const Boot&, const Boot&) = default;
};

// As the kernel tells it now.
[[nodiscard]] Boot boot_now();

}  // namespace elbowroom::agent
