// --svg FILE: an answer's picture, beside the answer itself.
#pragma once

#include <CLI/CLI.hpp>

#include "base/document.h"

namespace elbowroom::cli {

void add_picture_option(CLI::App& verb);

[[nodiscard]] bool asks_for_picture(const CLI::App& verb);

// Writes room_picture(decision) to the file that is asked for. Ends the program with exit status 1
// where it cannot be written.
void write_picture(const CLI::App& verb, const Value& decision);

}  // namespace elbowroom::cli
