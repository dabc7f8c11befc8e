#include "api/codec/report_text.h"

#include <utility>

#include "base/document_text.h"
#include "base/text.h"

namespace elbowroom::api::report {

Value text(std::string_view text) { return text_value(clipped(text, kMaxTextBytes)); }

Value texts(const std::vector<std::string>& all) {
  std::vector<Value> items;
  for (const std::string& each : all) items.push_back(text(each));
  return list_value(std::move(items));
}

std::string_view name_of(policy::PreemptionPolicy policy) {
  return policy == policy::PreemptionPolicy::Never ? "Never" : "PreemptLowerPriority";
}

Value victims(const std::vector<policy::VictimReport>& all) {
  std::vector<Value> items;
  for (const policy::VictimReport& each : all) {
    items.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("priority", number_value(each.priority)),
        member("violatesBudget", bool_value(each.violates_budget)),
        member("unit", text(each.unit)),
        member("why", text(each.why)),
    }));
  }
  return list_value(std::move(items));
}

}  // namespace elbowroom::api::report
