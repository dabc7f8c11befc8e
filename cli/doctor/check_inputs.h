// Which checks a check takes its input from. While one of them fails, its own answer would be wrong
// advice, so it waits.
#pragma once

#include <span>
#include <string_view>

namespace elbowroom::cli {

struct CheckInputs {
  std::string_view check{};   // a name, or "rights.*": every check of a right without its own row
  std::string_view inputs{};  // names, separated by spaces; "rights.*": every check of a right
};

// One row for each check that has inputs; without cycles.
[[nodiscard]] std::span<const CheckInputs> all_check_inputs();

// The names in its row; "": it needs no other check.
[[nodiscard]] std::string_view inputs_of(std::string_view check);

// Whether a name in a row means that check.
[[nodiscard]] bool is_meant(std::string_view name, std::string_view check);

}  // namespace elbowroom::cli
