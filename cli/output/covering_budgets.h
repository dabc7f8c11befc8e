// Which disruption budgets cover the pods of an answer, as a member of its document and as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "cli/input/manifests.h"
#include "policy/ledger/covering_budgets.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// The member of documents.
inline constexpr std::string_view kCoveredBy = "coveredBy";

// Those that cover the pods with these uids; `manifests` has all pods that the budgets count.
[[nodiscard]] std::vector<policy::CoveringBudget> budgets_that_cover(
    const Manifests& manifests, const std::vector<std::string>& uids, policy::Time now);

// A list of {budget, hard, allowed, nextAllowedTime, pods}.
[[nodiscard]] Value encode_covering(const std::vector<policy::CoveringBudget>& budgets);
// Adds that member to the document, if there are any.
void add_covering(Value& document, const std::vector<policy::CoveringBudget>& budgets);

// A section of that list; "" where it is empty or absent.
[[nodiscard]] std::string covering_text(const Value& list);

}  // namespace elbowroom::cli
