// The texts behind -f FILE|DIR|-. A text is read whole and is at most 64 MiB, and nothing by name
// is waited for: what is no regular file is refused.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace elbowroom::cli {

struct InputText {
  std::string name{};  // the path, or "standard input"
  std::string text{};
};

// A file; the *.yaml, *.yml and *.json directly in a folder, by name; "-": standard input. A path
// that is a descriptor of this process (/dev/stdin, /dev/fd/N: what a shell makes of <(...)) is
// read to its end as standard input is, whatever it is. Errors name the path: NotFound, Denied, or
// Invalid (too long, a folder without such files, a named pipe, a socket, a device).
[[nodiscard]] Result<std::vector<InputText>> read_input(const std::string& path);

}  // namespace elbowroom::cli
