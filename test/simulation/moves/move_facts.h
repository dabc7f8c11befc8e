// What the oracle of moves reads in objects of the lab. It knows the forms that histories of moves
// write, and nothing of the code that it judges.
#pragma once

#include <cstdint>
#include <string>

#include "lab/world/world.h"

namespace elbowroom::test {

[[nodiscard]] std::string uid_of(const lab::Json& object);
[[nodiscard]] std::string name_of(const lab::Json& object);
[[nodiscard]] std::string node_of(const lab::Json& pod);
[[nodiscard]] bool is_leaving(const lab::Json& object);
[[nodiscard]] bool has_ended(const lab::Json& pod);
[[nodiscard]] bool is_ready(const lab::Json& object);
[[nodiscard]] bool takes_pods(const lab::Json& node);  // it is Ready, and not cordoned

struct SeenController {
  std::string kind{};
  std::string name{};
  std::string uid{};  // "": it has none
};
[[nodiscard]] SeenController controller_of(const lab::Json& object);
// The uid of the pod's Deployment, else of its controller.
[[nodiscard]] std::string resting_owner_of(const lab::World& world, const lab::Json& pod);
// Why no pod like this is ever moved; "": it may be.
[[nodiscard]] std::string why_it_stays(const lab::Json& pod, bool protects_local);

struct Amounts {
  std::int64_t cpu = 0;     // millicores
  std::int64_t memory = 0;  // MiB
};
[[nodiscard]] Amounts requests_of(const lab::Json& pod);

// What is requested on a node, and what it has.
struct Filled {
  Amounts used{};
  Amounts of{};
  std::int64_t pods = 0;

  // More than that percentage of either is requested.
  [[nodiscard]] bool is_above(std::int64_t percent) const;
  // The larger share here less that of `other`, in percent, rounded down.
  [[nodiscard]] std::int64_t percent_more_than(const Filled& other) const;
};
[[nodiscard]] Filled filled(const lab::World& world, const std::string& node);

// The pod could be on the node, by room, selector and taints.
[[nodiscard]] bool has_place_for(const lab::World& world, const lab::Json& node,
                                 const lab::Json& pod);

// The sum of the weights of its preferences, and of those that the node meets.
[[nodiscard]] std::int64_t all_weights(const lab::Json& pod);
[[nodiscard]] std::int64_t met_weights(const lab::Json& pod, const lab::Json& node);

// The budget, of either kind, selects the pod's labels.
[[nodiscard]] bool selects(const lab::Json& budget, const lab::Json& pod);
[[nodiscard]] bool has_entry(const lab::Json& budget, const std::string& uid);

// In whole seconds since 1970; 0: there is none.
[[nodiscard]] std::int64_t seconds_at(const lab::Json& object, lab::Path path);
// Of a duration as histories write it: "90s".
[[nodiscard]] std::int64_t whole_seconds(const std::string& text);

}  // namespace elbowroom::test
