#include "scheduler/result_in_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::scheduler {
namespace {

using Meaning = std::pair<std::string_view, std::string_view>;

constexpr std::array<Meaning, kResults> kMeanings = {{
    {"fits", "it fits by now, and waits for its node"},
    {"awaiting_victims", "room is on its way and will be enough"},
    {"preempt", "pods are removed for it"},
    {"disabled", "preemption for resizes is forbidden here"},
    {"policy_never", "the pod's preemptionPolicy is Never"},
    {"no_victims", "nobody may go, or all who may would not be enough"},
    {"nodes_turn", "the node makes room for its critical pods itself, and has the first turn"},
    {"yields", "another scheduler has the first turn, and a pod that leaves may do so for it"},
    {"too_many_victims", "more pods would have to go than one node may lose at once"},
    {"broken", "the circuit breaker: too many pods have gone for resizes lately"},
    {"busy", "pods of its node are being asked to go for another resize"},
    {"refused", "the API server refused a mark or a dry run: nobody was removed"},
    {"overtaken", "its node changed before the first delete: nobody was removed"},
    {"outdated",
     "the API server no longer has the resize as the watch showed it: nobody was removed"},
    {"failed", "an error in the middle of the deletes: it tries again"},
    {"unknown_node", "its node is not known"},
    {"unclear_node", "what the pods of its node hold is not known"},
    {"bind", "a node takes it"},
    {"unschedulable", "no node takes it, and removing others does not help"},
    {"gated", "it has scheduling gates"},
}};

}  // namespace

std::string result_in_words(std::string_view result, std::string_view message, bool is_dry_run) {
  const auto at = std::ranges::find(kMeanings, result, &Meaning::first);
  std::string words(at == kMeanings.end() ? result : at->second);
  if (result == "preempt" && is_dry_run) {
    words = "pods would be removed for it (this is a dry run, which removes nobody)";
  }
  return message.empty() ? words : words + ": " + std::string(message);
}

}  // namespace elbowroom::scheduler
