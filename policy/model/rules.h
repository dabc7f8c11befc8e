// Which rules choose victims. Each rule reads this switch in one place; docs/differences.md lists
// every place.
#pragma once

namespace elbowroom::policy {

enum class RuleSet { Elbowroom, Upstream };

}  // namespace elbowroom::policy
