// Reads a small secret or certificate file. Always by path, never through an open descriptor,
// because such files rotate by replacing links.
#pragma once

#include <string>

#include "base/result.h"

namespace elbowroom::api {

// The file's bytes, at most 1 MiB. NotFound: missing; Denied: unreadable, not a regular file, or
// larger. The message names the file and never contains its content.
[[nodiscard]] Result<std::string> read_credential(const std::string& path);

}  // namespace elbowroom::api
