// The rescheduler's configuration of moves, as the text of key config.yaml in its ConfigMap has it:
// ReschedulerConfiguration of elbowroom.dev/v1alpha1.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "policy/moves/move_rules.h"

namespace elbowroom::api {

inline constexpr std::string_view kMoveRulesNamespace = "kube-system";
inline constexpr std::string_view kMoveRulesName = "elbowroom-rescheduler";
inline constexpr std::string_view kMoveRulesKey = "config.yaml";

// Keys that are left out have their defaults. Invalid, with the key and the line: a key that is not
// known, a value of another type or out of its range, a threshold above its target.
[[nodiscard]] Result<policy::MoveRules> decode_move_rules(std::string_view text);
// The same of a document that is parsed already.
[[nodiscard]] Result<policy::MoveRules> decode_move_rules(const Value& document);

// The keys beside apiVersion and kind.
[[nodiscard]] std::span<const std::string_view> move_rules_keys();

}  // namespace elbowroom::api
