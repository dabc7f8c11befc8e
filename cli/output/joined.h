// Names in a row, for people.
#pragma once

#include <string>
#include <vector>

namespace elbowroom::cli {

// "a, b, c"; "" for none.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

}  // namespace elbowroom::cli
