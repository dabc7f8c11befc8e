#include "api/codec/decode_move_policies.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <vector>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/duration.h"

namespace elbowroom::api {
namespace {

constexpr std::int64_t kMostMoves = 1'000;
constexpr std::chrono::seconds kShortestInterval{10};
constexpr std::chrono::hours kLongestInterval{24};

using Keys = std::initializer_list<std::string_view>;

Result<void> only(const Field& field, Keys known) {
  if (!field.present()) return {};
  if (field.value().kind != Value::Kind::Map) return field.refuse("must be a mapping");
  for (const Member& each : field.value().members) {
    if (std::ranges::find(known, each.key) == known.end()) {
      return field.refuse(each.key, "is no key of the configuration");
    }
  }
  return {};
}

Result<void> take(std::int64_t& to, const Field& from, std::string_view key, std::int64_t least,
                  std::int64_t most) {
  ASSIGN_OR_RETURN(const auto given, from.integer(key, least, most));
  if (given) to = *given;
  return {};
}

Result<policy::UnderutilizedNode> underutilized_node(const Field& field) {
  RETURN_IF_ERROR(only(field, {"enabled", "threshold", "target", "maxMovesPerPass", "minGain"}));
  policy::UnderutilizedNode made;
  ASSIGN_OR_RETURN(made.enabled, field.boolean("enabled"));
  RETURN_IF_ERROR(take(made.threshold, field, "threshold", 0, 100));
  RETURN_IF_ERROR(take(made.target, field, "target", 0, 100));
  RETURN_IF_ERROR(take(made.max_moves, field, "maxMovesPerPass", 0, kMostMoves));
  RETURN_IF_ERROR(take(made.min_gain, field, "minGain", 1, 100));
  if (made.threshold > made.target) {
    return field.refuse("threshold", "is above target, so that nodes would take turns");
  }
  return made;
}

Result<policy::AffinityPreference> affinity_preference(const Field& field) {
  RETURN_IF_ERROR(only(field, {"enabled", "minGain"}));
  policy::AffinityPreference made;
  ASSIGN_OR_RETURN(made.enabled, field.boolean("enabled"));
  RETURN_IF_ERROR(take(made.min_gain, field, "minGain", 1, 100));
  return made;
}

Result<void> check_interval(const Field& root) {
  ASSIGN_OR_RETURN(const std::string text, root.text("interval"));
  if (text.empty()) return {};
  const auto interval = elbowroom::parse_duration(text);
  if (!interval) return root.refuse("interval", interval.error().message);
  if (*interval < kShortestInterval || *interval > kLongestInterval) {
    return root.refuse("interval", "must be from 10s to 24h");
  }
  return {};
}

Result<void> check_kind(const Field& root) {
  ASSIGN_OR_RETURN(const std::string version, root.text("apiVersion"));
  if (version != "elbowroom.dev/v1alpha1") {
    return root.refuse("apiVersion", "must be elbowroom.dev/v1alpha1");
  }
  ASSIGN_OR_RETURN(const std::string kind, root.text("kind"));
  if (kind != "ReschedulerConfiguration") {
    return root.refuse("kind", "must be ReschedulerConfiguration");
  }
  return {};
}

}  // namespace

Result<policy::MovePolicies> decode_move_policies(std::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<Value> documents, parse_yaml(text, {.bytes = 1U << 20U}));
  if (documents.size() != 1) {
    return failure(Code::Invalid,
                   "it must hold one document, and holds " + std::to_string(documents.size()));
  }
  const Field root(documents.front());
  RETURN_IF_ERROR(only(root, {"apiVersion", "kind", "interval", "policies"}));
  RETURN_IF_ERROR(check_kind(root));
  RETURN_IF_ERROR(check_interval(root));
  ASSIGN_OR_RETURN(const Field policies, root.get("policies"));
  RETURN_IF_ERROR(only(policies, {"underutilizedNode", "affinityPreference"}));
  policy::MovePolicies made;
  ASSIGN_OR_RETURN(const Field load, policies.get("underutilizedNode"));
  ASSIGN_OR_RETURN(made.underutilized_node, underutilized_node(load));
  ASSIGN_OR_RETURN(const Field affinity, policies.get("affinityPreference"));
  ASSIGN_OR_RETURN(made.affinity_preference, affinity_preference(affinity));
  return made;
}

}  // namespace elbowroom::api
