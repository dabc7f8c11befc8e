// What several kinds have in common: metadata, conditions, label selectors. Names are bounded here,
// so nothing longer than the API allows passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/condition.h"
#include "policy/model/pod.h"
#include "policy/model/selector.h"

namespace elbowroom::api {

inline constexpr std::size_t kMaxNameBytes = 253;

// Ten years. A longer grace period is reduced to this, so that adding it to a time never overflows.
inline constexpr std::int64_t kLongestGraceSeconds = 315'360'000;

struct Metadata {
  std::string ns{};  // "" if the object names none
  std::string name{};
  std::string uid{};  // "" if the object has none
  std::int64_t generation = 0;
  std::string resource_version{};
  policy::Labels labels{};
  policy::Labels annotations{};
  std::optional<policy::Time> created{};
  std::optional<policy::Time> deletion{};
  std::int64_t deletion_grace_seconds = 0;

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// Invalid: no name, or one of more than 253 characters; a wrong type, number or time.
[[nodiscard]] Result<Metadata> decode_metadata(const Field& object);

// A grace period, at most kLongestGraceSeconds; none if absent. A negative one is Invalid in a
// file. From a server it is one second, because servers accept it. Source: kubernetes
// pkg/registry/core/pod/strategy.go, CheckGracefulDelete.
[[nodiscard]] Result<std::optional<std::int64_t>> grace_seconds(const Field& at,
                                                                std::string_view key);

// The controller owner reference of the object; none without a controller.
[[nodiscard]] Result<std::optional<policy::Owner>> decode_controller(const Field& object);

// "default/web", "node1": the object's name for errors, before the object is validated.
[[nodiscard]] std::string name_in_errors(const Value& object, bool namespaced);

enum class Conditioned : std::uint8_t { Pod, Node, Group };

// status.conditions, one of each type. Of several, the latest counts (by lastTransitionTime, then
// by content, so that their order never matters). The conditions of a pod and of a pod group have
// an observedGeneration; a node's is not read. Source: core/v1 NodeCondition, meta/v1 Condition.
[[nodiscard]] Result<policy::Conditions> decode_conditions(const Field& status, Conditioned whose);

// The selector with that key; none if absent. Invalid: an unknown operator, or values where they
// are forbidden, or no values where they are required.
[[nodiscard]] Result<std::optional<policy::LabelSelector>> decode_selector(const Field& parent,
                                                                           std::string_view key);

}  // namespace elbowroom::api
