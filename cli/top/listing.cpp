#include "cli/top/listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "cli/top/cells.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli::top {
namespace {

using policy::Overview;
using Names = std::vector<std::string_view>;

constexpr std::array<std::string_view, kTabs> kTitles = {"Nodes", "Resizes", "Leaving", "Budgets",
                                                         "Removals"};
constexpr std::array<std::string_view, 5> kNodeSorts = {"name", "cpu", "memory", "promised",
                                                        "pods"};
constexpr std::array<std::string_view, 4> kResizeSorts = {"age", "name", "node", "expected"};
constexpr std::array<std::string_view, 3> kLeavingSorts = {"expected", "name", "node"};
constexpr std::array<std::string_view, 3> kBudgetSorts = {"name", "allows", "pods"};
constexpr std::array<std::string_view, 3> kRemovalSorts = {"age", "name", "budget"};

// ---- order ----

// What a row is compared by: first the number, then the name.
struct SortKey {
  std::int64_t number = 0;
  std::string_view name{};
};

bool is_before(const SortKey& a, const SortKey& b) {
  if (a.number != b.number) return a.number < b.number;
  return policy::natural_less(a.name, b.name);
}

// What has no time comes last.
std::int64_t number_of(std::optional<policy::Time> time) {
  return time ? time->time_since_epoch().count() : std::numeric_limits<std::int64_t>::max();
}

SortKey key_of_node(const policy::NodeOverview& node, std::string_view sort) {
  if (sort == "cpu") return {node.free.cpu.value, node.node};
  if (sort == "memory") return {node.free.memory.value, node.node};
  if (sort == "promised") return {-node.promised.memory.value, node.node};
  if (sort == "pods") return {-node.pods, node.node};
  return {0, node.node};
}

SortKey key_of_resize(const policy::WaitingResize& resize, std::string_view sort) {
  if (sort == "age") return {number_of(resize.since), resize.pod};
  if (sort == "expected") return {number_of(resize.expected), resize.pod};
  return {0, sort == "node" ? resize.node : resize.pod};
}

SortKey key_of_leaving(const policy::LeavingPod& pod, std::string_view sort) {
  if (sort == "expected") return {number_of(pod.deadline), pod.pod};
  return {0, sort == "node" ? pod.node : pod.pod};
}

SortKey key_of_budget(const policy::BudgetOverview& budget, std::string_view sort) {
  constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
  if (sort == "allows") return {budget.allowed.value_or(kNoBound), budget.budget};
  if (sort == "pods") return {-budget.pods, budget.budget};
  return {0, budget.budget};
}

SortKey key_of_removal(const policy::RecentRemoval& removal, std::string_view sort) {
  if (sort == "age") return {-number_of(removal.time), removal.pod};
  return {0, sort == "budget" ? removal.budget : removal.pod};
}

SortKey sort_key(const Overview& overview, Tab tab, std::size_t at, std::string_view sort) {
  switch (tab) {
    case Tab::Nodes:
      return key_of_node(overview.nodes[at], sort);
    case Tab::Resizes:
      return key_of_resize(overview.waiting[at], sort);
    case Tab::Leaving:
      return key_of_leaving(overview.leaving[at], sort);
    case Tab::Budgets:
      return key_of_budget(overview.budgets[at], sort);
    case Tab::Removals:
      return key_of_removal(overview.removals[at], sort);
  }
  return {};
}

void sort_rows(const Overview& overview, const View& view, Rows& rows) {
  const TabView& of = view.of_tab();
  const std::string_view sort = sorts_of(view.tab)[of.sort];
  std::vector<SortKey> keys(size_of(overview, view.tab));
  for (const std::size_t at : rows) keys[at] = sort_key(overview, view.tab, at, sort);
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return of.is_reversed ? is_before(keys[b], keys[a]) : is_before(keys[a], keys[b]);
  });
}

// ---- filter ----

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool contains(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, {}, lower, lower).empty();
}

Names names_of(const Overview& overview, Tab tab, std::size_t at) {
  switch (tab) {
    case Tab::Nodes:
      return {overview.nodes[at].node};
    case Tab::Resizes: {
      const policy::WaitingResize& resize = overview.waiting[at];
      Names names = {resize.pod, resize.node};
      names.insert(names.end(), resize.victims.begin(), resize.victims.end());
      return names;
    }
    case Tab::Leaving:
      return {overview.leaving[at].pod, overview.leaving[at].node, overview.leaving[at].for_pod};
    case Tab::Budgets:
      return {overview.budgets[at].budget};
    case Tab::Removals:
      return {overview.removals[at].pod, overview.removals[at].by, overview.removals[at].budget};
  }
  return {};
}

bool is_let_through(const Overview& overview, const View& view, std::size_t at) {
  if (view.filter.empty()) return true;
  return std::ranges::any_of(names_of(overview, view.tab, at), [&view](std::string_view name) {
    return contains(name, view.filter);
  });
}

// ---- cells ----

std::string number(std::int64_t of) { return std::to_string(of); }

Cell state_of(const policy::NodeOverview& node) {
  if (node.ready == policy::NodeReady::False) return {"NotReady", Style::Bad};
  if (node.ready == policy::NodeReady::Unknown) return {"Unknown", Style::Bad};
  if (node.unschedulable) return {"cordoned", Style::Warning};
  return {node.ready == policy::NodeReady::True ? "Ready" : "", Style::Plain};
}

Cell left_of(std::int64_t amount) {
  return {number(amount), amount == 0 ? Style::Warning : Style::Plain};
}

Cells cells_of_node(const policy::NodeOverview& node) {
  return {{cell_text(node.node)},
          state_of(node),
          {number(node.pods)},
          {number(node.held.cpu.value)},
          {number(node.promised.cpu.value)},
          left_of(node.free.cpu.value),
          {number(mebibytes_up(node.held.memory.value))},
          {number(mebibytes_up(node.promised.memory.value))},
          left_of(mebibytes_down(node.free.memory.value)),
          {node.policy_owners.empty() ? "" : cell_text(node.policy_owners.front())}};
}

Cell state_of(const policy::WaitingResize& resize) {
  switch (resize.wait) {
    case policy::ResizeWait::Unjudged:
      return {"not judged", Style::Plain};
    case policy::ResizeWait::Deferred:
      return {"Deferred", Style::Warning};
    case policy::ResizeWait::Infeasible:
      return {"Infeasible", Style::Bad};
    case policy::ResizeWait::InProgress:
      return {"InProgress", Style::Good};
  }
  return {};
}

Cells cells_of_resize(const policy::WaitingResize& resize, policy::Time now) {
  const bool is_not_known = resize.outcome == "NotKnown" && policy::is_zero(resize.lacking);
  return {{cell_text(resize.pod)},
          {cell_text(resize.node)},
          state_of(resize),
          {age_text(resize.since, now)},
          {is_not_known ? "?" : amounts_text(resize.lacking)},
          {until_text(resize.expected, now)},
          {cell_text(resize.next)}};
}

Cells cells_of_leaving(const policy::LeavingPod& pod, policy::Time now) {
  const Cell ends = pod.overdue ? Cell{"overdue", Style::Bad} : Cell{until_text(pod.deadline, now)};
  return {{cell_text(pod.pod)},
          {cell_text(pod.node)},
          ends,
          {cell_text(pod.for_pod)},
          {amounts_text(pod.frees)}};
}

Cells cells_of_budget(const policy::BudgetOverview& budget, policy::Time now) {
  const Style style = budget.allowed == 0 ? Style::Warning : Style::Plain;
  return {{cell_text(budget.budget)},
          {budget.hard ? "hard" : "soft"},
          {number(budget.pods)},
          {budget.allowed ? number(*budget.allowed) : "any", style},
          {until_text(budget.next, now)}};
}

Cells cells_of_removal(const policy::RecentRemoval& removal, policy::Time now) {
  return {{cell_text(removal.pod)},
          {age_text(removal.time, now)},
          {cell_text(removal.by)},
          {cell_text(removal.budget)}};
}

// A name's column is no narrower for the rows that are seen.
std::size_t widest_name(const Overview& overview, Tab tab) {
  std::size_t widest = 0;
  if (tab != Tab::Nodes) return widest;
  for (const policy::NodeOverview& each : overview.nodes) {
    widest = std::max(widest, each.node.size());
  }
  return widest;
}

}  // namespace

std::string_view title_of(Tab tab) { return kTitles[static_cast<std::size_t>(tab)]; }

std::span<const std::string_view> sorts_of(Tab tab) {
  switch (tab) {
    case Tab::Nodes:
      return kNodeSorts;
    case Tab::Resizes:
      return kResizeSorts;
    case Tab::Leaving:
      return kLeavingSorts;
    case Tab::Budgets:
      return kBudgetSorts;
    case Tab::Removals:
      return kRemovalSorts;
  }
  return {};
}

std::size_t size_of(const Overview& overview, Tab tab) {
  switch (tab) {
    case Tab::Nodes:
      return overview.nodes.size();
    case Tab::Resizes:
      return overview.waiting.size();
    case Tab::Leaving:
      return overview.leaving.size();
    case Tab::Budgets:
      return overview.budgets.size();
    case Tab::Removals:
      return overview.removals.size();
  }
  return 0;
}

Rows rows_of(const Overview& overview, const View& view) {
  Rows rows;
  for (std::size_t at = 0; at < size_of(overview, view.tab); ++at) {
    if (is_let_through(overview, view, at)) rows.push_back(at);
  }
  sort_rows(overview, view, rows);
  return rows;
}

std::string_view key_of(const Overview& overview, Tab tab, std::size_t at) {
  switch (tab) {
    case Tab::Nodes:
      return overview.nodes[at].node;
    case Tab::Resizes:
      return overview.waiting[at].uid;
    case Tab::Leaving:
      return overview.leaving[at].uid;
    case Tab::Budgets:
      return overview.budgets[at].budget;
    case Tab::Removals:
      return overview.removals[at].uid;
  }
  return {};
}

std::string_view pod_of(const Overview& overview, Tab tab, std::size_t at) {
  if (tab == Tab::Resizes) return overview.waiting[at].pod;
  if (tab == Tab::Leaving) return overview.leaving[at].for_pod;
  return {};
}

std::vector<Column> columns_of(const Overview& overview, Tab tab) {
  constexpr std::string_view kCpu = "CPU, MILLICORES";
  constexpr std::string_view kMemory = "MEMORY, MIB";
  switch (tab) {
    case Tab::Nodes:
      return {{.title = "NODE", .least = 8, .widest = widest_name(overview, tab)},
              {.title = "STATE", .least = 8, .rank = 3},
              {.title = "PODS", .is_right = true, .rank = 5},
              {.group = kCpu,
               .title = "HELD",
               .alone = "CPU-HELD(m)",
               .is_right = true,
               .rank = 4,
               .widest = 6},
              {.group = kCpu,
               .title = "PROMISED",
               .alone = "CPU-PROMISED(m)",
               .is_right = true,
               .rank = 7},
              {.group = kCpu,
               .title = "FREE",
               .alone = "CPU-FREE(m)",
               .is_right = true,
               .rank = 1,
               .widest = 6},
              {.group = kMemory,
               .title = "HELD",
               .alone = "MEMORY-HELD(Mi)",
               .is_right = true,
               .rank = 4,
               .widest = 6},
              {.group = kMemory,
               .title = "PROMISED",
               .alone = "MEMORY-PROMISED(Mi)",
               .is_right = true,
               .rank = 6},
              {.group = kMemory,
               .title = "FREE",
               .alone = "MEMORY-FREE(Mi)",
               .is_right = true,
               .rank = 2,
               .widest = 6},
              {.title = "POLICY", .least = 6, .rank = 8}};
    case Tab::Resizes:
      return {{.title = "POD", .least = 10},
              {.title = "NODE", .least = 8, .rank = 6},
              {.title = "STATE", .least = 10, .rank = 2},
              {.title = "AGE", .is_right = true, .rank = 1},
              {.title = "LACKS", .least = 12, .rank = 3},
              {.title = "EXPECTED", .is_right = true, .rank = 4},
              {.title = "NEXT", .least = 14, .rank = 5}};
    case Tab::Leaving:
      return {{.title = "POD", .least = 10},
              {.title = "NODE", .least = 8, .rank = 4},
              {.title = "ENDS IN", .is_right = true, .rank = 1},
              {.title = "MAKES ROOM FOR", .least = 14, .rank = 2},
              {.title = "FREES", .least = 12, .rank = 3}};
    case Tab::Budgets:
      return {{.title = "BUDGET", .least = 14},
              {.title = "KIND", .least = 4, .rank = 3},
              {.title = "PODS", .is_right = true, .rank = 2},
              {.title = "ALLOWS", .is_right = true, .rank = 1},
              {.title = "MORE IN", .is_right = true, .rank = 4}};
    case Tab::Removals:
      return {{.title = "POD", .least = 10},
              {.title = "AGO", .is_right = true, .rank = 1},
              {.title = "BY", .least = 12, .rank = 2},
              {.title = "BUDGET", .least = 14, .rank = 3}};
  }
  return {};
}

Cells cells_of(const Overview& overview, Tab tab, std::size_t at) {
  switch (tab) {
    case Tab::Nodes:
      return cells_of_node(overview.nodes[at]);
    case Tab::Resizes:
      return cells_of_resize(overview.waiting[at], overview.now);
    case Tab::Leaving:
      return cells_of_leaving(overview.leaving[at], overview.now);
    case Tab::Budgets:
      return cells_of_budget(overview.budgets[at], overview.now);
    case Tab::Removals:
      return cells_of_removal(overview.removals[at], overview.now);
  }
  return {};
}

std::size_t selected_in(const Overview& overview, const View& view, const Rows& rows) {
  const TabView& of = view.of_tab();
  const auto found = std::ranges::find_if(rows, [&](std::size_t at) {
    return !of.key.empty() && key_of(overview, view.tab, at) == of.key;
  });
  if (found != rows.end()) return static_cast<std::size_t>(found - rows.begin());
  return rows.empty() ? 0 : std::min(of.place, rows.size() - 1);
}

}  // namespace elbowroom::cli::top
