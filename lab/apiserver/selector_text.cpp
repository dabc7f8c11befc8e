#include "lab/apiserver/selector_text.h"

namespace elbowroom::lab {

std::string selector_text(const Json& object) {
  std::string all;
  const auto add = [&](const std::string& term) { all += (all.empty() ? "" : ",") + term; };
  for (const auto& [key, value] : map_at(object, {"spec", "selector", "matchLabels"}).items()) {
    if (value.is_string()) add(key + "=" + value.get_ref<const std::string&>());
  }
  for (const Json& each : list_at(object, {"spec", "selector", "matchExpressions"})) {
    const std::string op = text_at(each, {"operator"});
    const std::string key = text_at(each, {"key"});
    std::string values;
    for (const Json& value : list_at(each, {"values"})) {
      if (value.is_string()) values += (values.empty() ? "" : ",") + value.get<std::string>();
    }
    if (op == "Exists" || op == "DoesNotExist") {
      add((op == "Exists" ? "" : "!") + key);
    } else {
      add(key + (op == "In" ? " in (" : " notin (") + values + ")");
    }
  }
  return all.empty() ? "<none>" : all;
}

}  // namespace elbowroom::lab
