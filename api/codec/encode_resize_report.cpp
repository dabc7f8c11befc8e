#include "api/codec/encode_resize_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/quantity.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

using report::text;
using report::texts;

Value encode_deficit(const policy::ResizeDecision& decision) {
  std::vector<Member> lacking;
  for (const policy::Shortage& each : decision.shortages) {
    lacking.push_back(
        member(each.resource, text_value(format_quantity(each.resource, each.lacking))));
  }
  return map_value(std::move(lacking));
}

Value encode_holders(const std::vector<policy::RoomHolder>& holders) {
  std::vector<Value> all;
  for (const policy::RoomHolder& each : holders) {
    all.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("priority", number_value(each.priority)),
        member("qos", text(to_string(each.qos))),
        member("terminating", bool_value(each.terminating)),
        member("held", encode_resources(each.held)),
    }));
  }
  return list_value(std::move(all));
}

Value encode_whole_groups(const std::vector<policy::RemovedGroup>& groups) {
  std::vector<Value> all;
  for (const policy::RemovedGroup& each : groups) {
    all.push_back(map_value({
        member("group", text(each.group)),
        member("uid", text(each.uid)),
        member("pods", number_value(static_cast<std::int64_t>(each.pods))),
        member("nodes", texts(each.nodes)),
    }));
  }
  return list_value(std::move(all));
}

std::vector<std::string> names_of(const std::vector<policy::DepletedGang>& gangs) {
  std::vector<std::string> names;
  for (const policy::DepletedGang& each : gangs) names.push_back(each.group);
  return names;
}

Value encode_preemption(const policy::PreemptionReport& preemption) {
  std::vector<Value> considered;
  for (const policy::SparedReport& each : preemption.considered) {
    considered.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("eligible", bool_value(each.eligible)),
        member("why", text(each.why)),
    }));
  }
  return map_value({
      member("by", text(to_string(preemption.by))),
      member("outcome", text(outcome_name(preemption))),
      member("message", text(preemption.message)),
      member("budgetViolations", number_value(preemption.budget_violations)),
      member("victims", report::victims(preemption.victims)),
      member("considered", list_value(std::move(considered))),
      member("wholeGroups", encode_whole_groups(preemption.whole_groups)),
      member("belowMinCount", texts(names_of(preemption.below_min_count))),
      member("lacks", texts(preemption.lacks)),
  });
}

}  // namespace

Value encode_conditions(const policy::Conditions& conditions) {
  std::vector<Value> all;
  for (const policy::Condition& each : conditions) {
    all.push_back(map_value({
        member("type", text(each.type)),
        member("status", text(each.status)),
        member("reason", text(each.reason)),
        member("message", text(each.message)),
        member("observedGeneration",
               each.observed_generation ? number_value(*each.observed_generation) : Value{}),
        member("lastTransitionTime", each.last_transition
                                         ? text_value(format_timestamp(*each.last_transition))
                                         : Value{}),
    }));
  }
  return list_value(std::move(all));
}

Value encode_resources(const policy::Resources& amounts) {
  std::vector<Member> all;
  policy::for_each_amount(amounts, [&](std::string_view name, std::int64_t amount) {
    all.push_back(member(std::string(name), text_value(format_quantity(name, amount))));
  });
  return map_value(std::move(all));
}

Value encode_resize_report(const policy::ResizeReport& report) {
  const policy::ResizeDecision& decision = report.decision;
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("ResizeDecision")),
      member("pod", text(report.pod)),
      member("uid", text(report.uid)),
      member("node", text(report.node)),
      member("verdict", text(to_string(decision.verdict))),
      member("reason", text(decision.reason)),
      member("message", text(decision.message)),
      member("requests", map_value({
                             member("desired", encode_resources(report.totals.desired)),
                             member("allocated", encode_resources(report.totals.allocated)),
                             member("actual", encode_resources(report.totals.actual)),
                         })),
      member("room", map_value({
                         member("allocatable", encode_resources(report.allocatable)),
                         member("others", encode_resources(report.others)),
                         member("holders", encode_holders(report.holders)),
                     })),
      member("deficit", encode_deficit(decision)),
      member("conditions", encode_conditions(report.conditions)),
      member("preemption", encode_preemption(report.preemption)),
      member("nodePolicy", map_value({
                               member("owners", texts(report.policy_owners)),
                               member("malformed", texts(report.malformed_owners)),
                           })),
  });
}

}  // namespace elbowroom::api
