// --svg FILE: an answer's picture, beside the answer itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/document.h"

namespace elbowroom::cli {

// `what`: what is drawn.
void add_picture_option(CLI::App& verb, const std::string& what =
                                            "a picture of the node's room, now "
                                            "and then, to this file");

[[nodiscard]] bool asks_for_picture(const CLI::App& verb);

// Writes room_picture(decision) to the file that is asked for. Ends the program with exit status 1
// where it cannot be written.
void write_picture(const CLI::App& verb, const Value& decision);
// The same with another picture.
void write_picture_text(const CLI::App& verb, const std::string& picture);

}  // namespace elbowroom::cli
