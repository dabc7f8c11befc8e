#include "cli/output/covering_budgets.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "cli/output/document_parts.h"

namespace elbowroom::cli {
namespace {

using namespace document_parts;

Value name_list(const std::vector<std::string>& names) {
  std::vector<Value> list;
  for (const std::string& name : names) list.push_back(api::json_text(name));
  return api::json_list(std::move(list));
}

Value encode_one(const policy::CoveringBudget& each) {
  return api::json_map(
      {{"budget", api::json_text(each.budget)},
       {"hard", api::json_bool(each.hard)},
       {"allowed", each.allowed ? api::json_number(*each.allowed) : Value{}},
       {"nextAllowedTime", each.next ? api::json_text(api::format_timestamp(*each.next)) : Value{}},
       {"pods", name_list(each.pods)},
       {"notCharged", name_list(each.spared)}});
}

}  // namespace

std::vector<policy::CoveringBudget> budgets_that_cover(const Manifests& manifests,
                                                       const std::vector<std::string>& uids,
                                                       policy::Time now) {
  std::vector<const policy::Pod*> pods;
  for (const policy::Pod& each : manifests.pods) {
    if (std::ranges::find(uids, each.uid) != uids.end()) pods.push_back(&each);
  }
  return policy::covering_budgets(pods,
                                  {.upstream = manifests.pod_disruption_budgets,
                                   .ours = manifests.disruption_budgets,
                                   .cluster_pods = manifests.pods},
                                  now);
}

Value encode_covering(const std::vector<policy::CoveringBudget>& budgets) {
  std::vector<Value> all;
  for (const policy::CoveringBudget& each : budgets) all.push_back(encode_one(each));
  return api::json_list(std::move(all));
}

void add_covering(Value& document, const std::vector<policy::CoveringBudget>& budgets) {
  if (!budgets.empty()) api::set_member(document, kCoveredBy, encode_covering(budgets));
}

std::string covering_text(const Value& list) {
  if (list.items.empty()) return "";
  std::string out = section("DISRUPTION BUDGETS");
  for (const Value* each : first(list, kShownPods)) {
    const Value& allowed = at(*each, "allowed");
    const std::string next = text(*each, "nextAllowedTime");
    const Value& spared = at(*each, "notCharged");
    out += item(text(*each, "budget") + (is_true(*each, "hard") ? " (hard)" : "") + " allows " +
                (allowed.kind == Value::Kind::Number ? allowed.text : "any number of") +
                (allowed.text == "1" ? " disruption now" : " disruptions now") +
                (next.empty() ? "" : ", the next at " + next) + ": " + names_in(at(*each, "pods")) +
                (spared.items.empty() ? "" : "; not charged, as not Ready: " + names_in(spared)));
  }
  return out;
}

}  // namespace elbowroom::cli
