#include "lab/controllers/app_condition.h"

#include <chrono>
#include <utility>

#include "api/codec/timestamp.h"

namespace elbowroom::lab {

Json with_condition(Json conditions, const AppCondition& wanted, policy::Time now) {
  const std::string time = api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now));
  Json condition = {{"type", wanted.type},     {"status", wanted.is_true ? "True" : "False"},
                    {"reason", wanted.reason}, {"message", wanted.message},
                    {"lastUpdateTime", time},  {"lastTransitionTime", time}};
  if (!conditions.is_array()) conditions = Json::array();
  for (Json& there : conditions) {
    if (text_at(there, {"type"}) != wanted.type) continue;
    if (text_at(there, {"status"}) == text_at(condition, {"status"})) {
      if (text_at(there, {"reason"}) == wanted.reason) return conditions;
      condition["lastTransitionTime"] = there["lastTransitionTime"];
    }
    there = std::move(condition);
    return conditions;
  }
  conditions.push_back(std::move(condition));
  return conditions;
}

}  // namespace elbowroom::lab
