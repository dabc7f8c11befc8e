// Decodes a document of kind Overview, as the daemons serve it at /overview.
#pragma once

#include <cstddef>

#include "base/document.h"
#include "base/result.h"
#include "policy/overview/overview.h"

namespace elbowroom::api {

// More entries of a list are Invalid.
inline constexpr std::size_t kMostOverviewEntries = 200'000;
inline constexpr std::size_t kMostOverviewTexts = 10'000;  // victims, owners of a policy

// Invalid: another kind or version, a missing name or time, a wrong type, an unknown word, a number
// below 0, a longer list or text than a daemon writes. The error names the field. A text may
// contain any character. A node of which nothing is known is Unknown, never Unstated.
[[nodiscard]] Result<policy::Overview> decode_overview(const Value& document);

}  // namespace elbowroom::api
