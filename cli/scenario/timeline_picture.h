// A timeline as a picture: each pod as a bar on its node, which victim made room for which pod, and
// what budgets allowed. Time runs to the right; long times in which nothing happens are shortened.
#pragma once

#include <string>

#include "cli/scenario/timeline.h"

namespace elbowroom::cli {

// An SVG document for light and dark pages. At most 60 rows of pods are drawn, those to which
// something happens first, and eight budgets. The same timeline gives the same bytes.
[[nodiscard]] std::string timeline_picture(const Timeline& timeline);

}  // namespace elbowroom::cli
