// Validates label keys, "example.com/name" or "name", with upstream's messages. One key can be
// wrong in several ways, and each is a separate cause.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::lab {

// Empty when the key is valid. Source: apimachinery validation.IsQualifiedName.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view key);

}  // namespace elbowroom::lab
