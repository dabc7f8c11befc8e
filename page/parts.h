// The parts of a page. Each writes a section, bounded: it says how many it leaves out and how to
// ask for them.
#pragma once

#include <cstddef>
#include <string_view>

#include "page/html.h"
#include "page/view.h"

namespace elbowroom::page {

inline constexpr std::size_t kMostRows = 200;   // of each table
inline constexpr std::size_t kMostNodes = 500;  // drawn
inline constexpr std::size_t kMostHolders = 8;  // of a bar; the others are one
// No further row is written, and no further node drawn, after so much.
inline constexpr std::size_t kMostPageBytes = std::size_t{2} << 20;

void write_waiting(Html& html, const View& view);
void write_leaving(Html& html, const View& view);
void write_budgets(Html& html, const View& view);
void write_removals(Html& html, const View& view);
// As bars: the nodes where something waits or leaves first, then the others in their order.
void write_nodes(Html& html, const View& view);
// One node, with its pods.
void write_node_of(Html& html, const View& view);
// What the daemon says of a pod: a document of JSON, as lines for people; "": nothing.
void write_explanation(Html& html, std::string_view explanation);
// The last hour as a strip for each reason, and as a table.
void write_decisions(Html& html, const View& view);

// A pod's name; a link to its page where it has one.
void write_pod(Html& html, const View& view, std::string_view pod);

// A time as its distance from `now`, "5m ago" or "in 30s", with the whole time as a title.
void write_time(Html& html, policy::Time time, policy::Time now);

// "12 more are not shown. " in a paragraph, with `how` to ask for them; nothing for 0.
void write_left_out(Html& html, std::size_t more, Markup how);

}  // namespace elbowroom::page
