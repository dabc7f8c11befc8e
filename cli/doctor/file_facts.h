// What a file is, whose, and who may do what with it. It is looked at, never opened.
#pragma once

#include <string>

#include "cli/doctor/doctor_facts.h"

namespace elbowroom::cli {

// Links are followed.
[[nodiscard]] FileFacts file_facts(const std::string& path);

}  // namespace elbowroom::cli
