// A scheduler's reactor that leads through a Lease; the test passes it its observations. Every
// effect is answered at once as done, except events and the effects that `keeps_back` selects.
#pragma once

#include <chrono>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/reactor.h"

namespace elbowroom::test {

class LedReactor {
 public:
  explicit LedReactor(scheduler::ReactorOptions options) : reactor_(led(std::move(options))) {}

  void tell(std::chrono::seconds at, decltype(scheduler::Observation::what) what) {
    std::vector<decltype(scheduler::Observation::what)> seen = {std::move(what)};
    while (!seen.empty()) {
      const scheduler::Observation next{.at = {at, kWall + at}, .what = seen.back()};
      seen.pop_back();
      for (const scheduler::Effect& effect : reactor_.handle(next)) {
        const bool is_event = std::holds_alternative<scheduler::EmitEvent>(effect.what);
        if (!keeps_back(effect) && !is_event) seen.emplace_back(done(effect));
      }
    }
  }
  // Of all that is neither a node nor a pod the API server has none.
  void lists_nothing_else(std::chrono::seconds at) {
    tell(at, scheduler::BudgetsListed{});
    tell(at, scheduler::OwnBudgetsListed{});
    tell(at, scheduler::PodGroupsListed{});
    tell(at, scheduler::NamespacesListed{});
    tell(at, control::Listed<scheduler::ServiceOf>{});
    tell(at, control::Listed<scheduler::ReplicationControllerOf>{});
    tell(at, control::Listed<scheduler::ReplicaSetOf>{});
    tell(at, control::Listed<scheduler::StatefulSetOf>{});
  }
  // Another replica takes the Lease; then no replica holds it any more.
  void loses_lease(std::chrono::seconds at) {
    tell(at, scheduler::LeaseSeen{api::Lease{.holder = "two", .duration_seconds = 15}});
  }
  void is_offered_lease(std::chrono::seconds at) {
    tell(at, scheduler::LeaseSeen{api::Lease{.holder = "", .duration_seconds = 1}});
  }

  [[nodiscard]] const scheduler::Reactor& reactor() const { return reactor_; }

  std::function<bool(const scheduler::Effect&)> keeps_back;  // true: it is not answered

 private:
  static constexpr policy::Time kWall{std::chrono::seconds(1'780'000'000)};

  static scheduler::ReactorOptions led(scheduler::ReactorOptions options) {
    options.leader_elect = true;
    options.elector.identity = "one";
    return options;
  }
  static scheduler::Done done(const scheduler::Effect& effect) {
    scheduler::Done answer{.effect = effect.id};
    const auto* lease = std::get_if<scheduler::WriteLease>(&effect.what);
    if (lease != nullptr) answer.lease = lease->lease;
    return answer;
  }

  scheduler::Reactor reactor_;
};

}  // namespace elbowroom::test
