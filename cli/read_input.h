// The texts behind -f FILE|DIR|-. The one thing to know: a text is read whole and is at most 64
// MiB, whatever kind of file it comes from.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace elbowroom::cli {

struct InputText {
  std::string name{};  // the path, or "standard input"
  std::string text{};
};

// A file; the *.yaml, *.yml and *.json directly in a folder, by name; "-": standard input. Errors
// name the path: NotFound, Denied, or Invalid (too long, a folder without such files).
[[nodiscard]] Result<std::vector<InputText>> read_input(const std::string& path);

}  // namespace elbowroom::cli
