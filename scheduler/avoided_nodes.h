// Nodes whose kubelet would not keep a pod: it refused it at the door, or evicted it. The one thing
// to know: pods of the same controller (or the same pod, where it has none) stay away from that
// node for a while that doubles with each time, so that they do not go back and forth.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "policy/pod.h"

namespace elbowroom::scheduler {

class AvoidedNodes {
 public:
  using Time = std::chrono::milliseconds;                           // on the reactor's clock
  using Reasons = std::map<std::string, std::string, std::less<>>;  // by node

  static constexpr Time kFirst{60'000};
  static constexpr Time kLongest{1'800'000};

  // The pod has failed on its node: why nobody like it goes there now; "" for another end than
  // these.
  [[nodiscard]] static std::string turned_out(const policy::Pod& failed);

  void note(const policy::Pod& failed, Time now);

  // The nodes that are not for that pod now.
  [[nodiscard]] Reasons avoided_by(const policy::Pod& pod, Time now) const;
  // When the first of them is for it again; none: there are none.
  [[nodiscard]] std::optional<Time> next(const policy::Pod& pod, Time now) const;

  // Forgets what is long past.
  void advance(Time now);

 private:
  struct Stay {
    std::string why{};
    std::string uid{};  // of the last pod that was turned out
    Time until{0};
    Time forget{0};
    unsigned times = 0;
  };
  using Nodes = std::map<std::string, Stay, std::less<>>;

  [[nodiscard]] static const std::string& owner_of(const policy::Pod& pod);

  std::map<std::string, Nodes, std::less<>> by_owner_{};
  Time advanced_{0};
};

}  // namespace elbowroom::scheduler
