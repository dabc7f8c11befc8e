#include "api/codec/decode_common.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace elbowroom::api {
namespace {

// The member if it is a string; otherwise "", without an error.
std::string text_or_empty(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  const bool text = value != nullptr && value->kind == Value::Kind::String;
  return text ? value->text.substr(0, kMaxNameBytes) : std::string();
}

Result<policy::LabelOperator> decode_operator(const Field& expression) {
  ASSIGN_OR_RETURN(const std::string text, expression.text("operator"));
  if (text == "In") return policy::LabelOperator::In;
  if (text == "NotIn") return policy::LabelOperator::NotIn;
  if (text == "Exists") return policy::LabelOperator::Exists;
  if (text == "DoesNotExist") return policy::LabelOperator::DoesNotExist;
  return expression.refuse("operator", "must be In, NotIn, Exists or DoesNotExist");
}

Result<policy::LabelExpression> decode_expression(const Field& at) {
  policy::LabelExpression expression;
  ASSIGN_OR_RETURN(expression.key, at.text("key"));
  if (expression.key.empty()) return at.refuse("key", "must not be empty");
  ASSIGN_OR_RETURN(expression.op, decode_operator(at));
  ASSIGN_OR_RETURN(expression.values, at.texts("values"));
  const bool lists =
      expression.op == policy::LabelOperator::In || expression.op == policy::LabelOperator::NotIn;
  if (lists == expression.values.empty()) {
    return at.refuse("values", lists ? "must not be empty for In and NotIn"
                                     : "must be empty for Exists and DoesNotExist");
  }
  return expression;
}

// Whether `one` counts, of two conditions of one type.
bool outlives(const policy::Condition& one, const policy::Condition& other) {
  const auto key = [](const policy::Condition& each) {
    return std::tie(each.last_transition, each.observed_generation, each.status, each.reason,
                    each.message);
  };
  return key(one) > key(other);
}

}  // namespace

Result<std::optional<std::int64_t>> grace_seconds(const Field& at, std::string_view key) {
  const std::int64_t least = at.is_served() ? std::numeric_limits<std::int64_t>::min() : 0;
  ASSIGN_OR_RETURN(const auto grace, at.integer(key, least));
  if (!grace) return std::nullopt;
  return *grace < 0 ? 1 : std::min(*grace, kLongestGraceSeconds);
}

Result<Metadata> decode_metadata(const Field& object) {
  ASSIGN_OR_RETURN(const Field at, object.get("metadata"));
  Metadata metadata;
  ASSIGN_OR_RETURN(metadata.name, at.text("name"));
  if (metadata.name.empty()) return at.refuse("name", "must not be empty");
  if (metadata.name.size() > kMaxNameBytes) {
    return at.refuse("name", "must be no longer than 253 characters");
  }
  ASSIGN_OR_RETURN(metadata.ns, at.text("namespace"));
  if (metadata.ns.size() > kMaxNameBytes) {
    return at.refuse("namespace", "must be no longer than 253 characters");
  }
  ASSIGN_OR_RETURN(metadata.uid, at.text("uid"));
  if (metadata.uid.size() > kMaxNameBytes) {
    return at.refuse("uid", "must be no longer than 253 characters");
  }
  ASSIGN_OR_RETURN(const auto generation, at.integer("generation"));
  metadata.generation = generation.value_or(0);
  ASSIGN_OR_RETURN(metadata.resource_version, at.text("resourceVersion"));
  ASSIGN_OR_RETURN(metadata.labels, at.labels("labels"));
  ASSIGN_OR_RETURN(metadata.annotations, at.labels("annotations"));
  ASSIGN_OR_RETURN(metadata.created, at.time("creationTimestamp"));
  ASSIGN_OR_RETURN(metadata.deletion, at.time("deletionTimestamp"));
  ASSIGN_OR_RETURN(const auto grace, grace_seconds(at, "deletionGracePeriodSeconds"));
  metadata.deletion_grace_seconds = grace.value_or(0);
  return metadata;
}

// ".GROUP" for a kind of another group that is named like one of Kubernetes' controllers.
std::string suffix_of_foreign(std::string_view kind, std::string_view version) {
  if (version.empty()) return "";
  const std::size_t slash = version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  const bool is_of_apps = kind == "ReplicaSet" || kind == "StatefulSet";
  if (!is_of_apps && kind != "ReplicationController") return "";
  return group == (is_of_apps ? "apps" : "") ? "" : "." + std::string(group);
}

Result<std::optional<policy::Owner>> decode_controller(const Field& object) {
  ASSIGN_OR_RETURN(const Field metadata, object.get("metadata"));
  ASSIGN_OR_RETURN(const Field list, metadata.get("ownerReferences"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(const bool controls, at.boolean("controller"));
    if (!controls) continue;
    policy::Owner owner;
    ASSIGN_OR_RETURN(owner.kind, at.text("kind"));
    ASSIGN_OR_RETURN(const std::string version, at.text("apiVersion"));
    owner.kind += suffix_of_foreign(owner.kind, version);
    ASSIGN_OR_RETURN(owner.name, at.text("name"));
    ASSIGN_OR_RETURN(owner.uid, at.text("uid"));
    return owner;
  }
  return std::nullopt;
}

std::string name_in_errors(const Value& object, bool namespaced) {
  const Value* metadata = object.find("metadata");
  const std::string name = metadata == nullptr ? "" : text_or_empty(*metadata, "name");
  if (name.empty()) {
    return object.at.line == 0 ? "without a name"
                               : "without a name at line " + std::to_string(object.at.line);
  }
  if (!namespaced) return name;
  const std::string ns = text_or_empty(*metadata, "namespace");
  return (ns.empty() ? "default" : ns) + "/" + name;
}

Result<policy::Conditions> decode_conditions(const Field& status, Conditioned whose) {
  ASSIGN_OR_RETURN(const Field list, status.get("conditions"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  policy::Conditions conditions;
  conditions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    policy::Condition condition;
    ASSIGN_OR_RETURN(condition.type, at.text("type"));
    ASSIGN_OR_RETURN(condition.status, at.text("status"));
    ASSIGN_OR_RETURN(condition.reason, at.text("reason"));
    ASSIGN_OR_RETURN(condition.message, at.text("message"));
    if (whose != Conditioned::Node) {
      ASSIGN_OR_RETURN(condition.observed_generation, at.integer("observedGeneration"));
    }
    ASSIGN_OR_RETURN(condition.last_transition, at.time("lastTransitionTime"));
    const auto same = std::ranges::find(conditions, condition.type, &policy::Condition::type);
    if (same == conditions.end()) {
      conditions.push_back(std::move(condition));
    } else if (outlives(condition, *same)) {
      *same = std::move(condition);
    }
  }
  return conditions;
}

Result<std::optional<policy::LabelSelector>> decode_selector(const Field& parent,
                                                             std::string_view key) {
  ASSIGN_OR_RETURN(const Field at, parent.get(key));
  if (!at.present()) return std::nullopt;
  policy::LabelSelector selector;
  ASSIGN_OR_RETURN(selector.match_labels, at.labels("matchLabels"));
  ASSIGN_OR_RETURN(const Field expressions, at.get("matchExpressions"));
  ASSIGN_OR_RETURN(const std::size_t count, expressions.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto expression, decode_expression(expressions.item(i)));
    selector.expressions.push_back(std::move(expression));
  }
  return selector;
}

}  // namespace elbowroom::api
