// What a daemon's page shows, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/model/resources.h"
#include "policy/model/time.h"
#include "policy/overview/overview.h"

namespace elbowroom::page {

// A pod that holds room on its node: max(allocated, actual).
struct Holder {
  std::string pod{};  // NAMESPACE/NAME
  std::int32_t priority = 0;
  bool leaves = false;  // terminating
  policy::Resources held{};

  friend bool operator==(const Holder&, const Holder&) = default;
};

// The pods of each node that hold the largest share of it, the largest first. Further ones are
// known by the node's sums alone.
using Holders = std::map<std::string, std::vector<Holder>, std::less<>>;  // by node

// What the daemon did, or decided not to do, and why.
struct Decision {
  policy::Time at{};
  bool warning = false;
  std::string reason{};  // as in the event of it, "ResizeDeferred"; "" for an act without an event
  std::string pod{};     // NAMESPACE/NAME; "": not about a pod
  std::string node{};
  std::string text{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

struct View {
  std::string program{};
  std::string idle_because{};  // why the daemon does not act; "" while it does
  policy::Overview of{};
  Holders holders{};
  bool is_old = false;                // the reactor has not answered since
  std::size_t unread = 0;             // nodes that are known, and not read yet
  std::vector<Decision> decisions{};  // of the last hour, newest first; some after `of` was read
  bool forgets_older = false;         // of that hour
  // The pods, NAMESPACE/NAME, that have a page which says more of them; others have no link.
  std::set<std::string, std::less<>> explained{};
  std::size_t uncounted_budgets = 0;  // that are too many to count their pods
};

}  // namespace elbowroom::page
