// Label keys, "example.com/name" or "name", and upstream's words for what is wrong with one. One
// key can be wrong in several ways, and each is a cause of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::lab {

// Empty where the key is sound. Source: apimachinery validation.IsQualifiedName.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view key);

}  // namespace elbowroom::lab
