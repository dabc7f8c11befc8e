#include "policy/resize/node_verdict.h"

#include <algorithm>
#include <charconv>

#include "policy/model/charge.h"

namespace elbowroom::policy {
namespace {

// Removes `prefix` from the front of the text.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_amount(std::string_view& text, std::string_view name, std::int64_t& amount) {
  if (!take(text, name)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || amount < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string why_it_differs(const NodeVerdict& word, const ResizeDecision& ours, const Pod& pod,
                           const Resources& others) {
  const bool infeasible = word.reason == kReasonInfeasible;
  const Verdict theirs = infeasible ? Verdict::Infeasible : Verdict::Deferred;
  if (theirs != ours.verdict) {
    const std::string said = word.reason.empty() ? "Deferred" : word.reason;
    return "the node says " + said + ", we find " + std::string(to_string(ours.verdict));
  }
  if (infeasible || !word.sums) return "";
  const NodeSum& sum = *word.sums;
  const std::int64_t requested = amount_of(resizing_charge(pod), sum.resource);
  const bool lacking = std::ranges::any_of(
      ours.shortages, [&](const Shortage& each) { return each.resource == sum.resource; });
  if (!lacking) return "the node lacks " + sum.resource + ", which we find enough of";
  if (sum.requested != requested) return "the node counts another request of " + sum.resource;
  if (sum.used != amount_of(others, sum.resource)) {
    return "the node counts another use of " + sum.resource + " by the other pods";
  }
  const auto at = std::ranges::find(ours.shortages, sum.resource, &Shortage::resource);
  return sum.capacity == at->capacity ? "" : "the node counts another capacity of " + sum.resource;
}

}  // namespace

std::optional<NodeSum> sums_in(std::string_view message) {
  NodeSum sum;
  const bool room = take(message, "Node didn't have enough resource: ");
  if (!room && !take(message, "Node didn't have enough capacity: ")) return std::nullopt;
  const std::size_t comma = message.find(',');
  if (comma == 0 || comma == std::string_view::npos) return std::nullopt;
  sum.resource = message.substr(0, comma);
  message.remove_prefix(comma);
  if (!take_amount(message, ", requested: ", sum.requested)) return std::nullopt;
  if (room && !take_amount(message, ", used: ", sum.used)) return std::nullopt;
  if (!take_amount(message, ", capacity: ", sum.capacity) || !message.empty()) return std::nullopt;
  return sum;
}

NodeVerdict node_verdict(const Pod& pod, const ResizeDecision& ours, const Resources& others) {
  NodeVerdict word;
  if (const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress)) {
    word.in_progress = progress->status == "True";
    if (word.in_progress && progress->reason == kReasonError) word.error = progress->message;
    word.in_progress_since = progress->last_transition;
  }
  const Condition* pending = find_condition(pod.conditions, kPodResizePending);
  const bool said = pending != nullptr && pending->status == "True";
  if (!said) {
    const bool judged = ours.verdict != Verdict::Unchanged;
    word.agreement = judged ? Agreement::Unsaid : Agreement::Silent;
    return word;
  }
  word.reason = pending->reason;
  word.message = pending->message;
  word.generation = pending->observed_generation;
  word.since = pending->last_transition;
  word.sums = sums_in(pending->message);
  if (word.generation && *word.generation != pod.generation) {
    word.agreement = Agreement::Earlier;
    return word;
  }
  word.why = why_it_differs(word, ours, pod, others);
  word.agreement = word.why.empty() ? Agreement::Agrees : Agreement::Differs;
  return word;
}

std::string_view to_string(Agreement agreement) {
  switch (agreement) {
    case Agreement::Silent:
      return "Silent";
    case Agreement::Unsaid:
      return "Unsaid";
    case Agreement::Earlier:
      return "Earlier";
    case Agreement::Agrees:
      return "Agrees";
    case Agreement::Differs:
      return "Differs";
  }
  return "Silent";
}

}  // namespace elbowroom::policy
