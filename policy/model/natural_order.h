// The order of names for people: runs of digits compare as numbers, so node2 comes before node10.
#pragma once

#include <string_view>

namespace elbowroom::policy {

// A strict total order: names whose numbers are equal and are written differently (a1, a01) differ.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace elbowroom::policy
