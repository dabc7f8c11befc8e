#include "cli/expectation.h"

#include "api/quantity.h"
#include "policy/charge.h"
#include "policy/condition.h"

namespace elbowroom::cli {
namespace {

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

std::optional<std::string> compare(std::string_view what, const std::optional<std::string>& wanted,
                                   std::string_view is) {
  if (!wanted || *wanted == is) return std::nullopt;
  return std::string(what) + ": expected " + in_quotes(*wanted) + ", is " + in_quotes(is);
}

std::optional<std::string> compare_allocated(const Expectation& expectation,
                                             const policy::Pod& pod) {
  if (!expectation.allocated) return std::nullopt;
  const policy::Resources allocated = policy::totals_of(pod).allocated;
  for (const std::string& name : expectation.allocated_names) {
    const std::int64_t wanted = policy::amount_of(*expectation.allocated, name);
    const std::int64_t is = policy::amount_of(allocated, name);
    if (wanted == is) continue;
    return "allocated " + name + ": expected " + api::format_quantity(name, wanted) + ", is " +
           api::format_quantity(name, is);
  }
  return std::nullopt;
}

std::optional<std::string> compare_condition(const Expectation& expectation,
                                             const policy::Pod& pod) {
  if (!expectation.condition) return std::nullopt;
  const ExpectedCondition& wanted = *expectation.condition;
  const policy::Condition* is = policy::find_condition(pod.conditions, wanted.type);
  const std::string what = "condition " + wanted.type;
  if (wanted.absent) {
    if (is == nullptr) return std::nullopt;
    return what + ": expected none, is " + is->status + " " + is->reason;
  }
  if (is == nullptr) return what + ": expected, and there is none";
  if (auto differs = compare(what + " status", wanted.status, is->status)) return differs;
  return compare(what + " reason", wanted.reason, is->reason);
}

}  // namespace

std::optional<std::string> disappointment(const Expectation& expectation, const policy::Pod* pod) {
  const bool wanted = expectation.exists.value_or(true);
  if (!wanted) {
    return pod == nullptr ? std::nullopt
                          : std::optional<std::string>("exists: expected to be gone");
  }
  if (pod == nullptr) return "exists: there is no such pod";
  if (auto differs = compare("node", expectation.node, pod->node)) return differs;
  if (auto differs = compare("nominatedNode", expectation.nominated_node, pod->nominated_node)) {
    return differs;
  }
  if (auto differs = compare("phase", expectation.phase, policy::to_string(pod->phase))) {
    return differs;
  }
  if (auto differs = compare_allocated(expectation, *pod)) return differs;
  return compare_condition(expectation, *pod);
}

}  // namespace elbowroom::cli
