// Which rules choose victims. This switch is read in one place per rule, and docs/differences.md
// lists every place.
#pragma once

namespace elbowroom::policy {

enum class RuleSet { Elbowroom, Upstream };

}  // namespace elbowroom::policy
