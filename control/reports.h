// What a leader-elected daemon tells about itself while it runs. Each report may be called from any
// of its threads, and may be missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "api/transport/transport.h"
#include "control/api_round.h"
#include "control/observation.h"

namespace elbowroom::control {

// Calls the report if it is set.
template <class... Args>
void say(const std::function<void(Args...)>& report, std::type_identity_t<Args>... args) {
  if (report) report(args...);
}

template <class Observation, class Effect, class Status>
struct Reports {
  // By the reactor's thread: about once a second, and soon after it did something.
  std::function<void(const Status&)> measured{};
  std::function<void(const Effect&)> performed{};      // an effect is about to be performed
  std::function<void(const Observation&)> observed{};  // before it is handled
  std::function<void(const Unreadable&)> unreadable{};
  std::function<void(const std::string&)> trouble{};
  std::function<void(const std::string&)>
      noticed{};                              // a pod that is larger than what is kept of it
  std::function<void()> recording_stopped{};  // its trouble was reported; called at most once
  // How long one turn of a loop took without its waits.
  std::function<void(std::string_view loop, std::chrono::nanoseconds worked)> turned{};
  // So many decisions were made in one turn of the reactor, in that time.
  std::function<void(std::uint64_t turns, std::chrono::nanoseconds worked)> judged{};
  std::function<void(const ApiRound&)> followed{};
  std::function<void(const api::RequestOutcome&)> api_called{};
  // Called by each loop ("reactor", "api") when it made progress.
  std::function<void(std::string_view loop)> alive{};
};

}  // namespace elbowroom::control
