// Random nodes full of random pods, for property tests. Amounts are small and few, so ties, exact
// fits and empty answers are frequent.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "test/pods.h"

namespace elbowroom::test {

struct RandomNode {
  policy::Node on{};
  std::vector<policy::Pod> pods{};  // the first one has a pending resize
};

inline policy::Pod random_pod(int index) {
  const auto cpu = *rc::gen::inRange(0, 6);
  const auto memory = *rc::gen::inRange(0, 4);
  policy::Pod pod = running_pod("p" + std::to_string(index), cpu * 100, memory * kMi,
                                *rc::gen::inRange(0, 4) * 10);
  policy::Container& app = pod.containers[0];
  if (*rc::gen::inRange(0, 4) == 0) {
    app.actual_requests = amounts(*rc::gen::inRange(0, 6) * 100, *rc::gen::inRange(0, 4) * kMi);
  }
  if (*rc::gen::inRange(0, 3) == 0) {
    app.desired.requests = amounts(*rc::gen::inRange(0, 9) * 100, *rc::gen::inRange(0, 6) * kMi);
    if (*rc::gen::arbitrary<bool>()) {
      pod.conditions.push_back({.type = std::string(policy::kPodResizePending),
                                .status = "True",
                                .reason = std::string(policy::kReasonDeferred)});
    }
  }
  if (*rc::gen::inRange(0, 6) == 0) {
    pod.deletion = policy::Time{std::chrono::seconds(1000)};
    pod.deletion_grace_seconds = 30;
  }
  if (*rc::gen::arbitrary<bool>()) {
    pod.started = policy::Time{std::chrono::seconds(*rc::gen::inRange(0, 5))};
  }
  pod.qos_in_status =
      *rc::gen::element(policy::Qos::Guaranteed, policy::Qos::Burstable, policy::Qos::BestEffort);
  return pod;
}

inline RandomNode random_node() {
  RandomNode made{.on = node(*rc::gen::inRange(5, 20) * 100, *rc::gen::inRange(5, 15) * kMi)};
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) made.pods.push_back(random_pod(i));
  policy::Pod& first = made.pods.front();
  first.deletion.reset();
  first.containers[0].desired.requests =
      amounts(*rc::gen::inRange(0, 20) * 100, *rc::gen::inRange(0, 10) * kMi);
  ++first.generation;
  return made;
}

// The same pods in another order.
inline std::vector<policy::Pod> shuffled(std::vector<policy::Pod> pods) {
  for (std::size_t i = pods.size(); i > 1; --i) {
    std::swap(pods[i - 1],
              pods[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i)))]);
  }
  return pods;
}

}  // namespace elbowroom::test
