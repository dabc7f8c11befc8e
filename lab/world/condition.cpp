#include "lab/world/condition.h"

namespace elbowroom::lab {

void set_condition(Json& object, const Json& condition) {
  Json& conditions = make_at(object, {"status", "conditions"});
  if (!conditions.is_array()) conditions = Json::array();
  for (Json& there : conditions) {
    if (text_at(there, {"type"}) != text_at(condition, {"type"})) continue;
    there = condition;
    return;
  }
  conditions.push_back(condition);
}

}  // namespace elbowroom::lab
