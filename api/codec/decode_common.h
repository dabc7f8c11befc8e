// What several kinds have in common: metadata, conditions, label selectors. Names are bounded here,
// so nothing longer than the API allows gets any further.
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

// Ten years: a longer grace period counts as that, so that adding it to a time never overflows.
inline constexpr std::int64_t kLongestGraceSeconds = 315'360'000;

struct Metadata {
  std::string ns{};  // "" where the object names none
  std::string name{};
  std::string uid{};  // "" where the object has none
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

// A grace period, at most kLongestGraceSeconds; nothing where there is none. One below zero is
// Invalid in a file, and one second where it is served: servers take it. Source: kubernetes
// pkg/registry/core/pod/strategy.go, CheckGracefulDelete.
[[nodiscard]] Result<std::optional<std::int64_t>> grace_seconds(const Field& at,
                                                                std::string_view key);

// The owner reference that controls the object; nothing where none does.
[[nodiscard]] Result<std::optional<policy::Owner>> decode_controller(const Field& object);

// "default/web", "node1": how an object is named before it is known to be sound, for errors.
[[nodiscard]] std::string name_in_errors(const Value& object, bool namespaced);

enum class Conditioned : std::uint8_t { Pod, Node };

// status.conditions, one of each type: of several the latest (by lastTransitionTime; then, so that
// their order never matters, by what they say).
// Only a pod's have an observedGeneration; a node's is not read. Source: core/v1 NodeCondition.
[[nodiscard]] Result<policy::Conditions> decode_conditions(const Field& status, Conditioned whose);

// The member of that key; nothing where it is absent. Invalid: an unknown operator, or values where
// there must be none, or none where there must be some.
[[nodiscard]] Result<std::optional<policy::LabelSelector>> decode_selector(const Field& parent,
                                                                           std::string_view key);

}  // namespace elbowroom::api
