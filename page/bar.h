// A node's room as one bar for each resource: the pods that hold it side by side, what is promised
// to resizes that wait, and what is free.
#pragma once

#include <span>

#include "page/html.h"
#include "page/view.h"

namespace elbowroom::page {

// `only_usual`: cpu, memory, and what is held of others; otherwise all that the node has.
void write_bars(Html& html, const policy::NodeOverview& node, std::span<const Holder> holders,
                bool only_usual);

}  // namespace elbowroom::page
