// What kind of file a path is, its owner, and its permissions. The file is never opened.
#pragma once

#include <string>

#include "cli/doctor/doctor_facts.h"

namespace elbowroom::cli {

// Follows links.
[[nodiscard]] FileFacts file_facts(const std::string& path);

}  // namespace elbowroom::cli
