// The messages that explain a preemption to people. No decision is made here, and programs read
// outcomes and reasons instead of these texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/resources.h"
#include "policy/model/rules.h"
#include "policy/model/unit.h"
#include "policy/preemption/budget_account.h"
#include "policy/preemption/fit.h"

namespace elbowroom::policy {

// "500m cpu and 1Gi memory"; "nothing" for zero. Exact: a unit is used only where it divides the
// amount.
[[nodiscard]] std::string in_words(const Resources& of);

// A potential victim, and the decision about it.
struct Rated {
  Unit<Pod> unit{};
  Resources charge{};      // of the unit's pods on the node
  Violations violating{};  // pods of the unit that violate a budget
  bool is_marked = false;  // to make room for this resize
  bool goes = false;

  [[nodiscard]] bool breaks_budget() const { return violating.any > 0; }
};

// "default/a"; of a unit of several pods "default/a, default/b and 3 more".
[[nodiscard]] std::string name_of(const Unit<Pod>& unit);

// Why rated[at] is the victim and not another unit: "lowest priority (0) whose 500m cpu is needed;
// equal to default/batch-2 but started later". Ends with the unit's pods where it has several.
// `rated` is most important first; `needs` is what was
// lacking.
[[nodiscard]] std::string victim_reason(const std::vector<Rated>& rated, std::size_t at,
                                        const Resources& needs, RuleSet rules);

// Why no pod is removed for a Deferred resize of something else, as a memory volume's size.
inline constexpr std::string_view kRaisesNeither =
    "no pod is removed for this resize: it raises neither cpu nor memory";

// What its budget could not prevent: "; ..." for a victim that breaks one, else "".
[[nodiscard]] std::string broken_budget(const Violations& violating);

// Why a node that makes room for a critical pod chooses this victim.
[[nodiscard]] std::string node_victim_reason(const Rated& victim, const Resources& needs);

// Each of these reasons takes a look at all units of the node. Where more of them have to go, the
// reason of the others is that they are of so many.
inline constexpr std::size_t kMostReasons = 100;
[[nodiscard]] std::string one_of_many(std::size_t units);

// Why a potential victim stays.
[[nodiscard]] std::string reprieve_reason(const Rated& spared, const Resources& needs);

// The owners of the node's policy against preemption for resizes; those that are malformed in
// quotes: "example.com/team and \"true\" (malformed)".
[[nodiscard]] std::string owners_in_words(const Node& node);

// Lists at most five names: "a, b and 3 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names,
                                 std::string_view joint = "and");
[[nodiscard]] PodText listed_pods(const std::vector<PodText>& names,
                                  std::string_view joint = "and");

}  // namespace elbowroom::policy
