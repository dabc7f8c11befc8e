#include "rescheduler/avoid_keeper.h"

#include <algorithm>
#include <utility>

namespace elbowroom::rescheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Two calls for each.
constexpr std::size_t kAtOnce = 8;
constexpr seconds kSoon{5};
// The API server's clock is estimated, and the estimate can be an hour off until its next answer.
constexpr minutes kLongestLook{1};
constexpr seconds kFirstBackoff{30};
constexpr minutes kLongestBackoff{10};
constexpr int kMostDoublings = 5;

// The first end after that time.
std::optional<policy::Time> end_after(const std::vector<policy::AvoidedController>& entries,
                                      policy::Time time) {
  std::optional<policy::Time> first;
  for (const policy::AvoidedController& each : entries) {
    if (each.until && *each.until > time)
      first = std::min(first.value_or(*each.until), *each.until);
  }
  return first;
}

std::vector<policy::AvoidedController> ended(const std::vector<policy::AvoidedController>& entries,
                                             policy::Time time) {
  std::vector<policy::AvoidedController> over;
  for (const policy::AvoidedController& each : entries) {
    if (each.until && *each.until <= time) over.push_back(each);
  }
  return over;
}

// Something has ended that was not found to be another writer's.
bool has_more(const std::vector<policy::AvoidedController>& over,
              const std::vector<policy::AvoidedController>& left) {
  return std::ranges::any_of(over, [&](const policy::AvoidedController& each) {
    return std::ranges::find(left, each) == left.end();
  });
}

}  // namespace

void AvoidKeeper::listed(const std::vector<policy::Node>& nodes, Time now, policy::Time server) {
  std::map<std::string, Known, std::less<>> before = std::exchange(nodes_, {});
  for (const policy::Node& each : nodes) {
    if (auto known = before.extract(each.name)) nodes_.insert(std::move(known));
    saw(each, now, server);
  }
  for (const auto& [name, known] : before) due_.forget(name);
}

void AvoidKeeper::saw(const policy::Node& node, Time now, policy::Time server) {
  const auto& entries = node.avoided_controllers;
  const bool ends = std::ranges::any_of(
      entries, [](const policy::AvoidedController& each) { return each.until.has_value(); });
  if (!ends) return gone(node.name);
  const auto [at, is_new] = nodes_.try_emplace(node.name);
  if (!is_new && at->second.entries == entries) return;
  at->second.entries = entries;
  at->second.failures = 0;
  if (has_more(ended(entries, server), at->second.left)) return due_.set(node.name, now);
  look_again(node.name, at->second, now, server);
}

void AvoidKeeper::look_again(const std::string& node, const Known& known, Time now,
                             policy::Time server) {
  const auto end = end_after(known.entries, server);
  if (!end) return;
  due_.set(node, now + std::min<milliseconds>(std::chrono::ceil<milliseconds>(*end - server),
                                              kLongestLook));
}

void AvoidKeeper::gone(const std::string& node) {
  nodes_.erase(node);
  due_.forget(node);
}

void AvoidKeeper::work(const Turn& turn) {
  while (outbox_.drops() < kAtOnce) {
    const auto node = due_.take_one(turn.now);
    if (!node) return;
    const auto at = nodes_.find(*node);
    if (at == nodes_.end()) continue;
    Known& known = at->second;
    if (known.in_flight) {
      due_.set(*node, turn.now + kSoon);
      continue;
    }
    look_again(*node, known, turn.now, turn.server);
    std::vector<policy::AvoidedController> over = ended(known.entries, turn.server);
    if (!has_more(over, known.left) || turn.dry_run) continue;
    known.asked = std::move(over);
    known.in_flight = true;
    outbox_.emit(DropAvoided{.node = *node, .now = std::chrono::floor<seconds>(turn.server)},
                 turn.fence, AvoidWrite{*node});
  }
}

// Entries of others stay, and are asked about no more until the next end.
void AvoidKeeper::dropped(const std::string& node) {
  ++counts_.avoid_passes;
  if (const auto known = nodes_.find(node); known != nodes_.end()) {
    known->second.in_flight = false;
    known->second.failures = 0;
    known->second.left = std::move(known->second.asked);
  }
}

void AvoidKeeper::not_dropped(const std::string& node, const Error& error, Time now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  known->second.in_flight = false;
  const milliseconds wait =
      error.code == Code::Conflict
          ? milliseconds(kSoon)
          : std::min<milliseconds>(
                kFirstBackoff * (1 << std::min(known->second.failures++, kMostDoublings)),
                kLongestBackoff);
  due_.set(node, now + std::max<milliseconds>(
                           wait, std::min<milliseconds>(error.retry_after, kLongestBackoff)));
}

std::optional<AvoidKeeper::Time> AvoidKeeper::next() const {
  if (outbox_.drops() >= kAtOnce) return std::nullopt;
  return due_.next();
}

}  // namespace elbowroom::rescheduler
