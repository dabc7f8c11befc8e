#include "api/codec/encode_scheduling_decision.h"

#include <utility>
#include <vector>

#include "api/codec/report_text.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

using report::text;
using report::texts;

Value encode_candidate(const std::optional<policy::PlacementCandidate>& candidate) {
  if (!candidate) return {};
  return map_value({
      member("victims", texts(candidate->victims)),
      member("budgetViolations", number_value(candidate->budget_violations)),
  });
}

Value encode_nodes(const std::vector<policy::NodeAnswer>& nodes) {
  std::vector<Value> items;
  for (const policy::NodeAnswer& each : nodes) {
    items.push_back(map_value({
        member("node", text(each.node)),
        member("code", text(to_string(each.code))),
        member("reasons", texts(each.reasons)),
        member("score", each.score ? number_value(*each.score) : Value{}),
        member("candidate", encode_candidate(each.candidate)),
    }));
  }
  return list_value(std::move(items));
}

}  // namespace

Value encode_scheduling_decision(const policy::SchedulingDecision& decision) {
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("SchedulingDecision")),
      member("pod", text(decision.pod)),
      member("result", text(to_string(decision.result))),
      member("node", text(decision.node)),
      member("victims", report::victims(decision.victims)),
      member("budgetViolations", number_value(decision.budget_violations)),
      member("message", text(decision.message)),
      member("outranked", texts(decision.outranked)),
      member("nodes", encode_nodes(decision.nodes)),
  });
}

Value encode_group_scheduling_decision(const policy::GroupSchedulingDecision& decision) {
  std::vector<Value> placements;
  for (const policy::MemberPlacement& each : decision.placements) {
    placements.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("node", text(each.node)),
    }));
  }
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("GroupSchedulingDecision")),
      member("group", text(decision.group)),
      member("result", text(to_string(decision.result))),
      member("placements", list_value(std::move(placements))),
      member("victims", report::victims(decision.victims)),
      member("budgetViolations", number_value(decision.budget_violations)),
      member("message", text(decision.message)),
      member("outranked", texts(decision.outranked)),
  });
}

}  // namespace elbowroom::api
