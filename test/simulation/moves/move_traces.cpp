#include "test/simulation/moves/move_traces.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "api/codec/timestamp.h"
#include "test/simulation/moves/move_facts.h"
#include "test/simulation/moves/move_objects.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::seconds;

constexpr seconds kTakenBackWithin{15};
constexpr std::int64_t kRefundedWithin = 150;  // seconds
constexpr std::int64_t kDroppedWithin = 150;
constexpr const char* kBy = "elbowroom-rescheduler";
constexpr const char* kAnnotation = "scheduler.alpha.kubernetes.io/preferAvoidPods";

std::string avoided_on(const Json& node) {
  return lab::map_at(node, {"metadata", "annotations"}).value(kAnnotation, "");
}

// When an entry of ours ends; 0: it does not say.
std::int64_t end_of(const Json& entry) {
  const std::string message = entry.value("message", "");
  const std::size_t at = message.rfind("(until ");
  if (at == std::string::npos) return 0;
  const auto time = api::parse_timestamp(message.substr(at + 7, message.size() - at - 8));
  return time ? std::chrono::floor<seconds>(time->time_since_epoch()).count() : 0;
}

}  // namespace

void MoveTraces::refused(const std::string& uid, const std::string& who) {
  refused_[uid] = {.at = simulation_.elapsed(), .who = who};
}

void MoveTraces::ended(const std::string& who) {
  std::erase_if(refused_, [&](const auto& each) { return each.second.who == who; });
}

void MoveTraces::check() {
  std::erase_if(refused_, [&](const auto& each) {
    if (simulation_.elapsed() - each.second.at < kTakenBackWithin) return false;
    check_taken_back(each.first);
    return true;
  });
}

void MoveTraces::check_taken_back(const std::string& uid) const {
  const lab::World& world = simulation_.world();
  for (const Json* each : world.all_stored_objects(own_budget_kind())) {
    const bool stays = std::ranges::any_of(
        lab::list_at(*each, {"status", "recentDisruptions"}), [&](const Json& entry) {
          return entry.value("uid", "") == uid && entry.value("by", "") == kBy;
        });
    if (stays) broken_("pod " + uid + " is not evicted, and its debit stays in " + name_of(*each));
  }
  for (const Json* each : world.all_stored_objects(node_kind())) {
    if (avoided_on(*each).contains(uid)) {
      broken_("pod " + uid + " is not evicted, and its entry stays on " + name_of(*each));
    }
  }
}

void MoveTraces::check_at_end() const {
  const lab::World& world = simulation_.world();
  const auto now = std::chrono::floor<seconds>(world.time().time_since_epoch()).count();
  std::set<std::string> live;
  for (const Json* each : world.all_stored_objects(pod_kind())) {
    if (!is_leaving(*each) && !has_ended(*each)) live.insert(uid_of(*each));
  }
  for (const Json* budget : world.all_stored_objects(own_budget_kind())) {
    for (const Json& each : lab::list_at(*budget, {"status", "recentDisruptions"})) {
      const bool is_old = now - seconds_at(each, {"time"}) > kRefundedWithin;
      const bool is_ours = each.value("by", "") == kBy;
      if (is_ours && is_old && live.contains(each.value("uid", ""))) {
        broken_("the debit of pod " + each.value("uid", "") + " stays in " + name_of(*budget));
      }
    }
  }
  for (const Json* node : world.all_stored_objects(node_kind())) {
    const Json entries = Json::parse(avoided_on(*node), nullptr, false);
    if (!entries.is_object()) continue;
    for (const Json& each : lab::list_at(entries, {"preferAvoidPods"})) {
      const std::int64_t end = end_of(each);
      if (end > 0 && now - end > kDroppedWithin) {
        broken_("an entry that has ended stays on " + name_of(*node));
      }
    }
  }
}

}  // namespace elbowroom::test
