#include "api/codec/decode_overview.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/field.h"

namespace elbowroom::api {
namespace {

using policy::NodeReady;
using policy::ResizeWait;
using policy::RoomMaker;

constexpr std::size_t kMostTextBytes = std::size_t{64} << 10;

Result<void> check_length(const Field& at, const std::string& text) {
  if (text.size() <= kMostTextBytes) return {};
  return at.refuse("must have at most " + std::to_string(kMostTextBytes) + " bytes");
}

Result<std::string> bounded_text(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const Field at, parent.get(key));
  ASSIGN_OR_RETURN(std::string text, at.as_text());
  RETURN_IF_ERROR(check_length(at, text));
  return text;
}

// Of what each entry must have.
Result<std::string> required_text(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, bounded_text(parent, key));
  if (text.empty()) return parent.refuse(key, "is required");
  return text;
}

Result<policy::Time> required_time(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const auto time, parent.time(key));
  if (!time) return parent.refuse(key, "is required");
  return *time;
}

Result<std::vector<std::string>> bounded_texts(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const Field list, parent.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMostOverviewTexts) {
    return list.refuse("has more than " + std::to_string(kMostOverviewTexts) + " entries");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Field item = list.item(i);
    ASSIGN_OR_RETURN(const std::string text, item.as_text());
    RETURN_IF_ERROR(check_length(item, text));
  }
  return parent.texts(key);
}

Result<std::int64_t> count_at(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const auto count, parent.integer(key, 0));
  return count.value_or(0);
}

Result<policy::Resources> amounts_at(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(auto amounts, parent.resources(key));
  return std::move(amounts).value_or(policy::Resources{});
}

// The value whose word it is.
template <class T, std::size_t kWords>
Result<T> word_at(const Field& parent, std::string_view key,
                  const std::array<std::pair<std::string_view, T>, kWords>& known) {
  ASSIGN_OR_RETURN(const std::string word, parent.text(key));
  std::string all;
  for (const auto& [each, value] : known) {
    if (each == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(each);
  }
  return parent.refuse(key, "must be one of " + all);
}

constexpr std::array<std::pair<std::string_view, NodeReady>, 3> kReady = {
    {{"True", NodeReady::True}, {"False", NodeReady::False}, {"Unknown", NodeReady::Unknown}}};
constexpr std::array<std::pair<std::string_view, ResizeWait>, 4> kWaits = {
    {{"Unjudged", ResizeWait::Unjudged},
     {"Deferred", ResizeWait::Deferred},
     {"Infeasible", ResizeWait::Infeasible},
     {"InProgress", ResizeWait::InProgress}}};
constexpr std::array<std::pair<std::string_view, RoomMaker>, 3> kMakers = {
    {{"nobody", RoomMaker::Nobody},
     {"scheduler", RoomMaker::Scheduler},
     {"node", RoomMaker::Node}}};

// ---- entries ----

Result<policy::NodeOverview> decode_node(const Field& at) {
  policy::NodeOverview node;
  ASSIGN_OR_RETURN(node.node, required_text(at, "node"));
  ASSIGN_OR_RETURN(node.ready, word_at(at, "ready", kReady));
  ASSIGN_OR_RETURN(node.unschedulable, at.boolean("unschedulable"));
  ASSIGN_OR_RETURN(node.policy_owners, bounded_texts(at, "policyOwners"));
  ASSIGN_OR_RETURN(node.pods, count_at(at, "pods"));
  ASSIGN_OR_RETURN(node.allocatable, amounts_at(at, "allocatable"));
  ASSIGN_OR_RETURN(node.held, amounts_at(at, "held"));
  ASSIGN_OR_RETURN(node.promised, amounts_at(at, "promised"));
  ASSIGN_OR_RETURN(node.free, amounts_at(at, "free"));
  return node;
}

Result<policy::WaitingResize> decode_waiting(const Field& at) {
  policy::WaitingResize waiting;
  ASSIGN_OR_RETURN(waiting.pod, required_text(at, "pod"));
  ASSIGN_OR_RETURN(waiting.uid, bounded_text(at, "uid"));
  ASSIGN_OR_RETURN(waiting.node, bounded_text(at, "node"));
  ASSIGN_OR_RETURN(waiting.wait, word_at(at, "wait", kWaits));
  ASSIGN_OR_RETURN(waiting.since, at.time("since"));
  ASSIGN_OR_RETURN(waiting.lacking, amounts_at(at, "lacking"));
  ASSIGN_OR_RETURN(waiting.by, word_at(at, "by", kMakers));
  ASSIGN_OR_RETURN(waiting.outcome, bounded_text(at, "outcome"));
  ASSIGN_OR_RETURN(waiting.victims, bounded_texts(at, "victims"));
  ASSIGN_OR_RETURN(waiting.why, bounded_text(at, "why"));
  ASSIGN_OR_RETURN(waiting.next, bounded_text(at, "next"));
  ASSIGN_OR_RETURN(waiting.expected, at.time("expected"));
  return waiting;
}

Result<policy::LeavingPod> decode_leaving(const Field& at) {
  policy::LeavingPod leaving;
  ASSIGN_OR_RETURN(leaving.pod, required_text(at, "pod"));
  ASSIGN_OR_RETURN(leaving.uid, bounded_text(at, "uid"));
  ASSIGN_OR_RETURN(leaving.node, bounded_text(at, "node"));
  ASSIGN_OR_RETURN(leaving.deadline, at.time("deadline"));
  ASSIGN_OR_RETURN(leaving.overdue, at.boolean("overdue"));
  ASSIGN_OR_RETURN(leaving.for_pod, bounded_text(at, "for"));
  ASSIGN_OR_RETURN(leaving.frees, amounts_at(at, "frees"));
  return leaving;
}

Result<policy::BudgetOverview> decode_budget(const Field& at) {
  policy::BudgetOverview budget;
  ASSIGN_OR_RETURN(budget.budget, required_text(at, "budget"));
  ASSIGN_OR_RETURN(budget.hard, at.boolean("hard"));
  ASSIGN_OR_RETURN(budget.pods, count_at(at, "pods"));
  ASSIGN_OR_RETURN(budget.allowed, at.integer("allowed", 0));
  ASSIGN_OR_RETURN(budget.next, at.time("next"));
  return budget;
}

Result<policy::RecentRemoval> decode_removal(const Field& at) {
  policy::RecentRemoval removal;
  ASSIGN_OR_RETURN(removal.pod, required_text(at, "pod"));
  ASSIGN_OR_RETURN(removal.uid, bounded_text(at, "uid"));
  ASSIGN_OR_RETURN(removal.time, required_time(at, "time"));
  ASSIGN_OR_RETURN(removal.by, bounded_text(at, "by"));
  ASSIGN_OR_RETURN(removal.budget, bounded_text(at, "budget"));
  return removal;
}

template <class T>
Result<std::vector<T>> list_at(const Field& root, std::string_view key,
                               Result<T> (*decode)(const Field&)) {
  ASSIGN_OR_RETURN(const Field list, root.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMostOverviewEntries) {
    return list.refuse("has more than " + std::to_string(kMostOverviewEntries) + " entries");
  }
  std::vector<T> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Field item = list.item(i);
    ASSIGN_OR_RETURN(T each, decode(item));
    all.push_back(std::move(each));
  }
  return all;
}

Result<void> require_word(const Field& root, std::string_view key, std::string_view wanted) {
  ASSIGN_OR_RETURN(const std::string found, root.text(key));
  if (found != wanted) return root.refuse(key, "must be " + std::string(wanted));
  return {};
}

}  // namespace

Result<policy::Overview> decode_overview(const Value& document) {
  const Field root(document, Source::Server);
  RETURN_IF_ERROR(require_word(root, "apiVersion", "elbowroom.dev/v1alpha1"));
  RETURN_IF_ERROR(require_word(root, "kind", "Overview"));
  policy::Overview all;
  ASSIGN_OR_RETURN(all.now, required_time(root, "now"));
  ASSIGN_OR_RETURN(all.nodes, list_at(root, "nodes", decode_node));
  ASSIGN_OR_RETURN(all.waiting, list_at(root, "waiting", decode_waiting));
  ASSIGN_OR_RETURN(all.leaving, list_at(root, "leaving", decode_leaving));
  ASSIGN_OR_RETURN(all.budgets, list_at(root, "budgets", decode_budget));
  ASSIGN_OR_RETURN(all.removals, list_at(root, "removals", decode_removal));
  if (all.removals.size() > policy::kMostRecentRemovals) {
    return root.refuse("removals",
                       "has more than " + std::to_string(policy::kMostRecentRemovals) + " entries");
  }
  return all;
}

}  // namespace elbowroom::api
