#include "cli/top/detail.h"

#include <algorithm>
#include <utility>

#include "api/codec/quantity.h"
#include "api/codec/timestamp.h"
#include "cli/top/cells.h"

namespace elbowroom::cli::top {
namespace {

using Texts = std::vector<std::string>;
using policy::Overview;

std::string table_row(std::string_view name, const std::vector<std::string>& cells) {
  std::string row = padded(name, 24, false);
  for (const std::string& each : cells) row += " " + padded(each, 12, true);
  return row;
}

Texts of_node(const Overview& overview, const policy::NodeOverview& node) {
  Texts lines = {table_row("RESOURCE", {"ALLOCATABLE", "HELD", "PROMISED", "FREE"})};
  const policy::Resources all = policy::max_of(node.allocatable, node.held);
  policy::for_each_amount(all, [&](std::string_view name, std::int64_t /*amount*/) {
    Texts cells;
    for (const policy::Resources* each :
         {&node.allocatable, &node.held, &node.promised, &node.free}) {
      cells.push_back(api::format_quantity(name, policy::amount_of(*each, name)));
    }
    lines.push_back(table_row(cell_text(name), cells));
  });
  for (const std::string& owner : node.policy_owners) {
    lines.push_back("No pod is removed here for a resize: " + cell_text(owner) + " forbids it.");
  }
  for (const policy::WaitingResize& each : overview.waiting) {
    if (each.node == node.node) lines.push_back("Resize waits: " + cell_text(each.pod));
  }
  for (const policy::LeavingPod& each : overview.leaving) {
    if (each.node != node.node) continue;
    const std::string room =
        each.for_pod.empty() ? "" : " makes room for " + cell_text(each.for_pod);
    lines.push_back("Leaves: " + cell_text(each.pod) + room);
  }
  return lines;
}

Texts of_resize(const policy::WaitingResize& resize) {
  Texts lines = {cell_text(resize.why)};
  for (const std::string& each : resize.victims) lines.push_back("Would go: " + cell_text(each));
  if (!resize.next.empty()) lines.push_back("Next: " + cell_text(resize.next));
  return lines;
}

Texts of_leaving(const policy::LeavingPod& pod) {
  const std::string frees = amounts_text(pod.frees);
  Texts lines = {"On node " + cell_text(pod.node) + (frees.empty() ? "" : "; it frees " + frees)};
  if (pod.deadline) {
    lines.push_back("Deadline: " + api::format_timestamp(*pod.deadline) +
                    (pod.overdue ? "; it is overdue, and its room is not relied on" : ""));
  }
  if (pod.for_pod.empty()) lines.emplace_back("It makes room for no pod that is known.");
  return lines;
}

Texts of_budget(const policy::BudgetOverview& budget) {
  const std::string allowed =
      budget.allowed ? std::to_string(*budget.allowed) + " more removals now" : "any removal";
  Texts lines = {"It covers " + std::to_string(budget.pods) + " pods and allows " + allowed + "."};
  lines.emplace_back(budget.hard ? "It is hard: no removal violates it."
                                 : "It is soft: it is violated only where no other pod helps.");
  if (budget.next) lines.push_back("It allows more at " + api::format_timestamp(*budget.next));
  return lines;
}

Texts of_removal(const policy::RecentRemoval& removal) {
  return {"Removed at " + api::format_timestamp(removal.time) + " by " + cell_text(removal.by),
          "Entered in " + cell_text(removal.budget)};
}

Texts of_row(const Overview& overview, Tab tab, std::size_t at) {
  switch (tab) {
    case Tab::Nodes:
      return of_node(overview, overview.nodes[at]);
    case Tab::Resizes:
      return of_resize(overview.waiting[at]);
    case Tab::Leaving:
      return of_leaving(overview.leaving[at]);
    case Tab::Budgets:
      return of_budget(overview.budgets[at]);
    case Tab::Removals:
      return of_removal(overview.removals[at]);
  }
  return {};
}

void add_explanation(std::string_view text, std::size_t width, Texts& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::ranges::move(broken_lines(cell_text(text.substr(0, end)), width),
                      std::back_inserter(lines));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Where a line of that width ends: before a space, as far as there is one behind the indentation.
std::size_t end_of_line(std::string_view text, std::size_t indent, std::size_t width) {
  if (text.size() <= width) return text.size();
  const std::size_t space = text.rfind(' ', width);
  return space == std::string_view::npos || space <= indent ? width : space;
}

}  // namespace

std::vector<std::string> broken_lines(std::string_view text, std::size_t width) {
  if (width == 0) return {};
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(std::min(spaces, width / 2), ' ');
  std::string rest = indent + std::string(text.substr(spaces));
  Texts lines;
  while (true) {
    const std::size_t end = end_of_line(rest, indent.size(), width);
    lines.push_back(rest.substr(0, end));
    const std::size_t next = rest.find_first_not_of(' ', end);
    if (next == std::string::npos) return lines;
    rest = indent + rest.substr(next);
  }
}

std::vector<std::string> detail_lines(const Scene& scene, Tab tab, std::size_t at,
                                      std::size_t width) {
  const std::string_view pod = pod_of(scene.overview, tab, at);
  Texts lines;
  if (!pod.empty() && scene.explained != nullptr && scene.explained->pod == pod) {
    add_explanation(scene.explained->text, width, lines);
    return lines;
  }
  for (const std::string& each : of_row(scene.overview, tab, at)) {
    std::ranges::move(broken_lines(each, width), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace elbowroom::cli::top
