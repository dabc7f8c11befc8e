#include "cli/scenario/decision_log.h"

#include "api/codec/decode_cluster_pod.h"
#include "lab/world/kind.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::cli {
namespace {

using scheduler::TurnResult;

const lab::Json* find_pod(const lab::World& world, std::string_view ns, std::string_view name) {
  static const lab::Kind& kind = *lab::find_kind("", "v1", "pods");
  return world.peek(kind, ns, name);
}

// Returns the timeline's name of a result; "" if it has none: a removal is recorded when it
// happens, and a wait behind other removals is visible from those removals.
std::string_view action_of(TurnResult result) {
  switch (result) {
    case TurnResult::Fits:
      return "Park";
    case TurnResult::Awaits:
    case TurnResult::NodesTurn:
    case TurnResult::Yields:
      return "Await";
    case TurnResult::Preempts:
    case TurnResult::Busy:
    case TurnResult::Binds:
      return "";
    default:
      return "Unschedulable";
  }
}

}  // namespace

void DecisionLog::note(const std::string& pod, const scheduler::Waiting& about,
                       SchedulerDecision decision) {
  told_[pod] = {about.uid, about.generation, decision.action, about.message};
  decision.pod = about.is_group ? std::string(scheduler::group_key_in(pod)) : pod;
  decision.node = about.node;
  decision.why = about.message;
  decisions_.push_back(std::move(decision));
}

// The deletes of one removal come together. The victims' marks name the preemptor.
void DecisionLog::add(const scheduler::Effect& effect) {
  const auto* removal = std::get_if<scheduler::DeleteVictim>(&effect.what);
  if (removal == nullptr || removal->dry_run) return;
  const lab::Json* object = find_pod(world_, removal->victim.ns, removal->victim.name);
  if (object == nullptr) return;
  const auto pod = api::decode_cluster_pod(lab::to_value(*object));
  if (!pod || policy::is_terminating(*pod)) return;
  if (const auto mark = policy::removal_mark(*pod)) {
    Removal& one = removals_[mark->uid];
    one.version = world_.version();
    one.victims.push_back(removal->victim.ns + "/" + removal->victim.name);
  }
}

void DecisionLog::note_removals(const scheduler::Reactor& reactor) {
  for (auto& [uid, removal] : std::exchange(removals_, {})) {
    for (const auto& [key, waiting] : reactor.waiting()) {
      if (waiting.uid != uid) continue;
      note(key, waiting,
           {.version = removal.version, .action = "Preempt", .victims = removal.victims});
    }
  }
}

// The pod is terminating, or gone: its resize no longer matters, although the reactor has not seen
// this yet.
bool DecisionLog::leaves(const std::string& pod) const {
  const std::size_t slash = pod.find('/');
  const lab::Json* object = find_pod(world_, pod.substr(0, slash), pod.substr(slash + 1));
  return object == nullptr || !lab::text_at(*object, {"metadata", "deletionTimestamp"}).empty();
}

void DecisionLog::end(const scheduler::Reactor& reactor) {
  note_removals(reactor);
  const auto& waiting = reactor.waiting();
  std::erase_if(told_, [&](const auto& entry) { return !waiting.contains(entry.first); });
  for (const auto& [key, pod] : waiting) {
    const std::string_view action = pod.result ? action_of(*pod.result) : "";
    if (action.empty()) continue;
    const auto told = told_.find(key);
    const bool same_resize = told != told_.end() && told->second.uid == pod.uid &&
                             told->second.generation == pod.generation;
    // For a pod that awaits room, a change of the terminating pods is not a new decision, least of
    // all if those are its own victims.
    const bool same_words =
        action == "Await" || (told != told_.end() && told->second.why == pod.message);
    const bool is_known =
        same_resize && ((told->second.action == action && same_words) ||
                        (told->second.action == "Preempt" && *pod.result == TurnResult::Awaits));
    if (is_known || (!pod.is_group && leaves(key))) continue;
    note(key, pod, {.version = world_.version(), .action = std::string(action)});
  }
}

}  // namespace elbowroom::cli
