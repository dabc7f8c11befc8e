// What a file is, whose, and who may do what with it. The one thing to know: it is looked at, never
// opened.
#pragma once

#include <string>

#include "cli/doctor_facts.h"

namespace elbowroom::cli {

// Links are followed.
[[nodiscard]] FileFacts file_facts(const std::string& path);

}  // namespace elbowroom::cli
