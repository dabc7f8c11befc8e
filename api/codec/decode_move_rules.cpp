#include "api/codec/decode_move_rules.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <vector>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/duration.h"

namespace elbowroom::api {
namespace {

constexpr std::int64_t kMostMoves = 1'000;
constexpr std::int64_t kMostReserve = 1'000'000;
constexpr std::size_t kMostNamespaces = 1'000;
constexpr std::chrono::seconds kShortestInterval{10};
constexpr std::chrono::minutes kShortest{1};
constexpr std::chrono::hours kDay{24};
// As kLongestAvoidance of api/codec/avoid_entries.h.
constexpr std::chrono::hours kLongestAvoided{720};

constexpr std::array<std::string_view, 12> kKeys{"apiVersion",      "kind",
                                                 "interval",        "policies",
                                                 "budgetReserve",   "coolDown",
                                                 "maxMovesPerHour", "maxMovesPerNodePerHour",
                                                 "avoidFor",        "protectLocalStorage",
                                                 "namespaces",      "webhook"};
constexpr std::size_t kHeaders = 2;

using Keys = std::span<const std::string_view>;

Result<void> only_of(const Field& field, Keys known) {
  if (!field.present()) return {};
  if (field.value().kind != Value::Kind::Map) return field.refuse("must be a mapping");
  for (const Member& each : field.value().members) {
    if (std::ranges::find(known, each.key) == known.end()) {
      return field.refuse(each.key, "is no key of the configuration");
    }
  }
  return {};
}

Result<void> only(const Field& field, std::initializer_list<std::string_view> known) {
  return only_of(field, {known.begin(), known.size()});
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

// How long, in whole seconds.
Result<void> take(std::chrono::seconds& to, const Field& from, std::string_view key,
                  std::chrono::seconds least, std::chrono::seconds most) {
  ASSIGN_OR_RETURN(const std::string text, from.text(key));
  if (text.empty()) return {};
  const auto given = elbowroom::parse_duration(text);
  if (!given) return from.refuse(key, given.error().message);
  if (*given < least || *given > most) {
    return from.refuse(key,
                       "must be from " + format_duration(least) + " to " + format_duration(most));
  }
  to = std::chrono::floor<std::chrono::seconds>(*given);
  return {};
}

Result<std::vector<std::string>> names(const Field& from, std::string_view key) {
  ASSIGN_OR_RETURN(std::vector<std::string> all, from.texts(key));
  if (all.size() > kMostNamespaces) {
    return from.refuse(key, "has more than " + std::to_string(kMostNamespaces) + " names");
  }
  return all;
}

Result<policy::NamespaceChoice> namespaces(const Field& field) {
  RETURN_IF_ERROR(only(field, {"include", "exclude"}));
  policy::NamespaceChoice made;
  ASSIGN_OR_RETURN(made.include, names(field, "include"));
  ASSIGN_OR_RETURN(made.exclude, names(field, "exclude"));
  return made;
}

Result<policy::WebhookRules> webhook(const Field& field) {
  RETURN_IF_ERROR(only(field, {"whenUnsure", "deletesBy"}));
  policy::WebhookRules made;
  ASSIGN_OR_RETURN(const std::string unsure, field.text("whenUnsure"));
  if (!unsure.empty() && unsure != "refuse" && unsure != "allow") {
    return field.refuse("whenUnsure", "must be refuse or allow");
  }
  made.refuses_when_unsure = unsure == "refuse";
  ASSIGN_OR_RETURN(const Field by, field.get("deletesBy"));
  RETURN_IF_ERROR(only(by, {"users", "groups"}));
  ASSIGN_OR_RETURN(made.deletes_by_users, names(by, "users"));
  ASSIGN_OR_RETURN(made.deletes_by_groups, names(by, "groups"));
  return made;
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

Result<policy::MoveRules> decode_move_rules(std::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<Value> documents, parse_yaml(text, {.bytes = 1U << 20U}));
  if (documents.size() != 1) {
    return failure(Code::Invalid,
                   "it must hold one document, and holds " + std::to_string(documents.size()));
  }
  return decode_move_rules(documents.front());
}

Result<policy::MoveRules> decode_move_rules(const Value& document) {
  const Field root(document);
  RETURN_IF_ERROR(only_of(root, kKeys));
  RETURN_IF_ERROR(check_kind(root));
  policy::MoveRules made;
  RETURN_IF_ERROR(take(made.interval, root, "interval", kShortestInterval, kDay));
  RETURN_IF_ERROR(take(made.budget_reserve, root, "budgetReserve", 0, kMostReserve));
  RETURN_IF_ERROR(take(made.cool_down, root, "coolDown", kShortest, kDay));
  RETURN_IF_ERROR(take(made.max_moves_per_hour, root, "maxMovesPerHour", 0, kMostMoves));
  RETURN_IF_ERROR(
      take(made.max_moves_per_node_per_hour, root, "maxMovesPerNodePerHour", 0, kMostMoves));
  RETURN_IF_ERROR(take(made.avoid_for, root, "avoidFor", kShortest, kLongestAvoided));
  ASSIGN_OR_RETURN(const Field local, root.get("protectLocalStorage"));
  if (local.present()) {
    ASSIGN_OR_RETURN(made.protect_local_storage, root.boolean("protectLocalStorage"));
  }
  ASSIGN_OR_RETURN(const Field chosen, root.get("namespaces"));
  ASSIGN_OR_RETURN(made.namespaces, namespaces(chosen));
  ASSIGN_OR_RETURN(const Field of_webhook, root.get("webhook"));
  ASSIGN_OR_RETURN(made.webhook, webhook(of_webhook));
  ASSIGN_OR_RETURN(const Field policies, root.get("policies"));
  RETURN_IF_ERROR(only(policies, {"underutilizedNode", "affinityPreference"}));
  ASSIGN_OR_RETURN(const Field load, policies.get("underutilizedNode"));
  ASSIGN_OR_RETURN(made.policies.underutilized_node, underutilized_node(load));
  ASSIGN_OR_RETURN(const Field affinity, policies.get("affinityPreference"));
  ASSIGN_OR_RETURN(made.policies.affinity_preference, affinity_preference(affinity));
  return made;
}

std::span<const std::string_view> move_rules_keys() { return std::span(kKeys).subspan(kHeaders); }

}  // namespace elbowroom::api
