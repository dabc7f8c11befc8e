// Reads a small secret or certificate file. Always by path, never through a kept descriptor,
// because such files rotate by moving links.
#pragma once

#include <string>

#include "base/result.h"

namespace elbowroom::api {

// The file's bytes, at most 1 MiB. NotFound: missing; Denied: unreadable, no regular file, larger;
// the message names the file and never holds its content.
[[nodiscard]] Result<std::string> read_credential(const std::string& path);

}  // namespace elbowroom::api
