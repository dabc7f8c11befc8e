#include "lab/world/app_rules.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "lab/world/pod_rules.h"
#include "lab/world/selector.h"
#include "policy/model/selector.h"

namespace elbowroom::lab {
namespace {

using Problems = std::vector<FieldProblem>;

void default_at(Json& object, Path path, Json value) {
  const Json* there = find_at(object, path);
  if (there == nullptr || there->is_null()) make_at(object, path) = std::move(value);
}

void default_rolling(Json& spec, std::string_view strategy, Json parameters) {
  default_at(spec, {strategy, "type"}, "RollingUpdate");
  if (text_at(spec, {strategy, "type"}) != "RollingUpdate") return;
  for (const auto& [name, value] : parameters.items()) {
    default_at(spec, {strategy, "rollingUpdate", name}, value);
  }
}

Problems problems_of_selector(const Kind& kind, const Json& spec) {
  const Json* selector = find_at(spec, {"selector"});
  if (selector == nullptr || selector->is_null()) {
    return {{"FieldValueRequired", "spec.selector", "Required value"}};
  }
  if (map_at(*selector, {"matchLabels"}).empty() &&
      list_at(*selector, {"matchExpressions"}).empty()) {
    return {{"FieldValueInvalid", "spec.selector",
             "Invalid value: {}: empty selector is invalid for " +
                 std::string(kind.plural.substr(0, kind.plural.size() - 1))}};
  }
  for (const Json& expression : list_at(*selector, {"matchExpressions"})) {
    const std::string op = text_at(expression, {"operator"});
    if (op == "In" || op == "NotIn" || op == "Exists" || op == "DoesNotExist") continue;
    return {{"FieldValueInvalid", "spec.selector.matchExpressions.operator",
             "Invalid value: \"" + op + "\": not a valid selector operator"}};
  }
  const auto asked = selector_in(spec, {"selector"});
  const Json& labels = map_at(spec, {"template", "metadata", "labels"});
  if (asked && policy::matches(*asked, labels_of({{"metadata", {{"labels", labels}}}}))) return {};
  return {{"FieldValueInvalid", "spec.template.metadata.labels",
           "Invalid value: " + to_text(labels) + ": `selector` does not match template `labels`"}};
}

void check_number(const Json& spec, std::string_view name, Problems& problems) {
  const Json* value = find_at(spec, {name});
  if (value == nullptr || value->is_null()) return;
  const auto number = integer_at(spec, {name});
  if (number && *number >= 0 && *number <= INT32_MAX) return;
  problems.push_back(
      {"FieldValueInvalid", "spec." + std::string(name),
       "Invalid value: " + to_text(*value) + ": must be greater than or equal to 0"});
}

// A number from 0, or a percentage "25%".
bool is_amount(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>() >= 0;
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  return text.size() >= 2 && text.size() <= 5 && text.ends_with('%') &&
         text.find_first_not_of("0123456789") == text.size() - 1;
}

bool is_zero(const Json& value) {
  return value.is_number()
             ? value == 0
             : text_at({{"v", value}}, {"v"}).find_first_not_of("0%") == std::string::npos;
}

void check_rolling(const Json& spec, std::string_view strategy, Problems& problems) {
  const Json& rolling = map_at(spec, {strategy, "rollingUpdate"});
  const std::string field = "spec." + std::string(strategy) + ".rollingUpdate.";
  for (const char* name : {"maxSurge", "maxUnavailable"}) {
    const Json* value = find_at(rolling, {name});
    if (value == nullptr || is_amount(*value)) continue;
    problems.push_back(
        {"FieldValueInvalid", field + name,
         "Invalid value: " + to_text(*value) + ": must be an integer or percentage (e.g '5%')"});
    return;
  }
  const Json* surge = find_at(rolling, {"maxSurge"});
  const Json* unavailable = find_at(rolling, {"maxUnavailable"});
  if (surge == nullptr || unavailable == nullptr || !is_zero(*surge) || !is_zero(*unavailable)) {
    return;
  }
  problems.push_back(
      {"FieldValueInvalid", field + "maxUnavailable",
       "Invalid value: " + to_text(*unavailable) + ": may not be 0 when `maxSurge` is 0"});
}

void check_template(const Json& spec, Problems& problems) {
  const std::string field = "spec.template.spec";
  const Json& pod_spec = map_at(spec, {"template", "spec"});
  if (!pod_spec.contains("containers")) {
    problems.push_back({"FieldValueRequired", field + ".containers", "Required value"});
    return;
  }
  if (const std::string policy = text_at(pod_spec, {"restartPolicy"}); policy != "Always") {
    problems.push_back({"FieldValueNotSupported", field + ".restartPolicy",
                        "Unsupported value: \"" + policy + "\": supported values: \"Always\""});
  }
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", pod_spec}};
  pod["metadata"] = map_at(spec, {"template", "metadata"});
  pod["metadata"]["name"] = "of-template";
  pod["metadata"]["uid"] = "to-be-given";
  const auto decoded = decode(pod);
  if (decoded) return;
  problems.push_back({"FieldValueInvalid", field, decoded.error().message});
}

std::optional<ApiError> refuse_app(const Kind& kind, const Json& object) {
  const Json& spec = map_at(object, {"spec"});
  Problems problems = problems_of_selector(kind, spec);
  for (const char* name : {"replicas", "minReadySeconds", "revisionHistoryLimit"}) {
    check_number(spec, name, problems);
  }
  if (kind.name == "Deployment") check_rolling(spec, "strategy", problems);
  if (kind.name == "DaemonSet") check_rolling(spec, "updateStrategy", problems);
  check_template(spec, problems);
  if (problems.empty()) return std::nullopt;
  return invalid(kind, text_at(object, {"metadata", "name"}), problems);
}

}  // namespace

bool is_app(const Kind& kind) { return kind.group == "apps"; }

void default_app(const Kind& kind, Json& object) {
  Json& spec = make_at(object, {"spec"});
  if (!spec.is_object()) spec = Json::object();
  if (kind.name != "DaemonSet") default_at(spec, {"replicas"}, 1);
  if (kind.name != "ReplicaSet") default_at(spec, {"revisionHistoryLimit"}, 10);
  if (kind.name == "Deployment") {
    default_rolling(spec, "strategy", {{"maxSurge", "25%"}, {"maxUnavailable", "25%"}});
    default_at(spec, {"progressDeadlineSeconds"}, 600);
  } else if (kind.name == "StatefulSet") {
    default_rolling(spec, "updateStrategy", {{"partition", 0}});
    default_at(spec, {"podManagementPolicy"}, "OrderedReady");
    for (const char* when : {"whenDeleted", "whenScaled"}) {
      default_at(spec, {"persistentVolumeClaimRetentionPolicy", when}, "Retain");
    }
  } else if (kind.name == "DaemonSet") {
    default_rolling(spec, "updateStrategy", {{"maxSurge", 0}, {"maxUnavailable", 1}});
  }
  Json& pod_spec = make_at(spec, {"template", "spec"});
  if (pod_spec.is_object()) default_pod_spec(pod_spec);
}

Answer<Json> admitted_app(const Kind& kind, Json object) {
  default_app(kind, object);
  if (auto refused = refuse_app(kind, object)) return std::unexpected(*std::move(refused));
  return object;
}

std::optional<ApiError> refuse_app_update(const Kind& kind, const Json& before, const Json& after) {
  const Json& was = map_at(before, {"spec"});
  const Json& is = map_at(after, {"spec"});
  if (was == is) return std::nullopt;
  if (map_at(was, {"selector"}) != map_at(is, {"selector"})) {
    return invalid(
        kind, text_at(after, {"metadata", "name"}),
        {{"FieldValueInvalid", "spec.selector",
          "Invalid value: " + to_text(map_at(is, {"selector"})) + ": field is immutable"}});
  }
  return refuse_app(kind, after);
}

}  // namespace elbowroom::lab
