// Reads the texts of -f FILE|DIR|-. A text is read whole and is at most 64 MiB. A path that is not
// a regular file is refused, so reading never blocks on it.
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
// read to its end like standard input, whatever its type. Errors name the path: NotFound, Denied,
// or Invalid (too long, a folder without such files, a named pipe, a socket, a device).
[[nodiscard]] Result<std::vector<InputText>> read_input(const std::string& path);

}  // namespace elbowroom::cli
