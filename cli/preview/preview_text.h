// A preview as a page for people: the answer first, then tables of at most ten rows.
#pragma once

#include <string>

#include "cli/preview/preview.h"

namespace elbowroom::cli {

[[nodiscard]] std::string preview_text(const Preview& preview);

}  // namespace elbowroom::cli
