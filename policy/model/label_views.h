// Labels as views of a text that is kept elsewhere, in the order of their keys, each key once: for
// comparing many sets of labels with a selector without copies.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/selector.h"

namespace elbowroom::policy {

using LabelViews = std::vector<std::pair<std::string_view, std::string_view>>;

// As matches() of the same labels in a map.
[[nodiscard]] bool matches(const LabelSelector& selector, const LabelViews& labels);

}  // namespace elbowroom::policy
