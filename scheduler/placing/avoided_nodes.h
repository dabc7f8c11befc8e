// Nodes whose kubelet rejected or evicted a pod. Pods of the same controller (or the same pod, if
// it has none) avoid that node for a backoff that doubles each time, so that they do not go back
// and forth. A pod found Failed counts from when it failed, so a restart forgets none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::scheduler {

class AvoidedNodes {
 public:
  using Time = std::chrono::milliseconds;                           // on the reactor's clock
  using Reasons = std::map<std::string, std::string, std::less<>>;  // by node

  static constexpr Time kFirst{60'000};
  static constexpr Time kLongest{1'800'000};

  // Returns why similar pods avoid the node of this failed pod now; "" if it failed in another way.
  [[nodiscard]] static std::string turned_out(const policy::Pod& failed);

  // Returns when it was rejected or evicted, according to the pod; none: the pod does not say.
  [[nodiscard]] static std::optional<policy::Time> turned_out_at(const policy::Pod& failed);

  // The pod failed at that time, which is not after `now`. Each pod counts once; one whose backoff
  // is over does not count.
  void note(const policy::Pod& failed, Time at, Time now);

  // Returns the nodes that the pod must avoid now.
  [[nodiscard]] Reasons avoided_by(const policy::Pod& pod, Time now) const;
  // Returns when the first of them is available again; none: there are none.
  [[nodiscard]] std::optional<Time> next(const policy::Pod& pod, Time now) const;

  // Forgets failures whose effect is over.
  void advance(Time now);

 private:
  // Further failures do not lengthen the backoff.
  static constexpr unsigned kMostTimes = 6;
  static constexpr std::size_t kMostKnown = 32;

  struct Stay {
    std::string why{};
    std::deque<std::string> uids{};  // of the latest rejected or evicted pods
    Time latest{0};
    unsigned times = 0;

    [[nodiscard]] Time until() const;
    [[nodiscard]] Time forget() const { return until() + kLongest; }
  };
  using Nodes = std::map<std::string, Stay, std::less<>>;

  [[nodiscard]] static const std::string& owner_of(const policy::Pod& pod);

  std::map<std::string, Nodes, std::less<>> by_owner_{};
  Time advanced_{0};
};

}  // namespace elbowroom::scheduler
