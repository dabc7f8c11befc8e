// The rows of a tab: which there are, in which order, and what each column says of one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/columns.h"
#include "cli/top/view.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli::top {

// "Nodes".
[[nodiscard]] std::string_view title_of(Tab tab);

// What the tab can be sorted by: "name", "cpu", ... The first is what it is sorted by at first.
[[nodiscard]] std::span<const std::string_view> sorts_of(Tab tab);

// How many rows the tab has without a filter.
[[nodiscard]] std::size_t size_of(const policy::Overview& overview, Tab tab);

// Places in the overview's list of that tab: those that the filter lets through, sorted.
using Rows = std::vector<std::size_t>;
[[nodiscard]] Rows rows_of(const policy::Overview& overview, const View& view);

// What identifies the row at that place in the overview: a node's or a budget's name, a pod's uid.
[[nodiscard]] std::string_view key_of(const policy::Overview& overview, Tab tab, std::size_t at);

// NAMESPACE/NAME of the pod that explains the row; "": none does.
[[nodiscard]] std::string_view pod_of(const policy::Overview& overview, Tab tab, std::size_t at);

[[nodiscard]] std::vector<Column> columns_of(const policy::Overview& overview, Tab tab);
[[nodiscard]] Cells cells_of(const policy::Overview& overview, Tab tab, std::size_t at);

// The place in `rows` of the selected row; 0 where there are no rows.
[[nodiscard]] std::size_t selected_in(const policy::Overview& overview, const View& view,
                                      const Rows& rows);

}  // namespace elbowroom::cli::top
