#include "scheduler/waiting/turns.h"

#include <algorithm>
#include <utility>

namespace elbowroom::scheduler {

void Turns::park(const std::string& key, Waiting& pod, TurnResult result, std::string message,
                 std::optional<Time> next_look) {
  count(result, pod);
  pod.result = result;
  pod.message = std::move(message);
  pod.next_look = next_look;
  state_.marks.doubt_on(pod.node);
  state_.doubt_marks_for(pod);
  rest(key, pod, result, next_look);
}

std::set<std::string> nodes_of(const Waiting& pod) {
  if (pod.is_group) return pod.nodes;
  return pod.node.empty() ? std::set<std::string>() : std::set<std::string>{pod.node};
}

void Turns::rest(const std::string& key, const Waiting& pod, TurnResult result,
                 std::optional<Time> next_look) {
  const ResultRow& row = row_of(result);
  Queue& queue = state_.waiting.queue();
  if (!pod.is_pending) return queue.park(key, row.requeue_hints, next_look, state_.time());
  queue.park(key,
             Queue::Wish{.nodes = nodes_of(pod),
                         .there = row.requeue_hints,
                         .anywhere = pod.lacks_claims ? cluster::Changes{}
                                                      : anywhere_for(row, pod.looks_around),
                         .deadline = next_look,
                         .signature = result == TurnResult::Unschedulable ? pod.signature : ""},
             state_.time());
}

void Turns::act(Waiting& pod, TurnResult result, std::string message) {
  count(result, pod);
  pod.result = result;
  pod.message = std::move(message);
  pod.next_look.reset();
}

void Turns::count(TurnResult result, const Waiting& pod) {
  const auto at = static_cast<std::size_t>(result);
  ++state_.counts.turns[at];
  ++state_.counts.turns_by[static_cast<std::size_t>(kind_of(pod))][at];
}

void Turns::want_slot(const std::string& key, const Waiting& pod) {
  state_.waiting.slots().add(key, pod.priority, pod.since);
}

Said Turns::said_by(const OwnerEvent& note) const {
  return {.words = note.words.on_pod(),
          .time = note.time ? std::optional(state_.since_start_of(*note.time)) : std::nullopt,
          .time_matters = note.time_matters,
          .expects_room = note.expects_room};
}

void Turns::tell(const std::string& key, Waiting& pod, const OwnerEvent& note) {
  Said now = said_by(note);
  if (note.words.empty() || !is_news(pod.said, now)) return;
  pod.said = std::move(now);
  say(named({.key = key, .uid = pod.uid}), note.reason, in_full(note),
      pod.is_group ? Subject::PodGroup : Subject::Pod);
}

void Turns::say(const Victim& regarding, EventReason reason, const policy::PodText& note,
                Subject kind, std::optional<Related> related) {
  const EventRow& row = row_of(reason);
  state_.outbox.emit(EmitEvent{.regarding = regarding,
                               .warning = row.warning,
                               .reason = std::string(row.reason),
                               .action = std::string(row.action),
                               .note = note.on_pod(),
                               .in_log = note.full() == note.on_pod() ? "" : note.full(),
                               .log_only = options_.dry_run,
                               .kind = kind,
                               .related = std::move(related)},
                     state_.fence());
}

void Turns::tell_victim(const VictimEvent& event) {
  // Its owner may not read the names of another namespace.
  const PreemptedFor& preemptor = event.preemptor;
  std::optional<Related> related;
  const auto [ns, name] = control::name_parts(preemptor.name);
  if (!name.empty() && ns == event.victim.ns) {
    related = Related{.kind = preemptor.is_group ? Subject::PodGroup : Subject::Pod,
                      .object = {std::string(ns), std::string(name), preemptor.uid}};
  }
  say(event.victim, EventReason::Preempted, text_of(event.preemptor), Subject::Pod,
      std::move(related));
}

void Turns::count_victim(const VictimEvent& event) {
  ++state_.counts.victims;
  ++state_.counts.victims_by.of(kind_of(event.preemptor),
                                event.goes_whole ? VictimKind::Group : VictimKind::Pod);
  tell_victim(event);
}

Preemptor preemptor_of(const std::string& key, const Waiting& pod) {
  return {.key = key,
          .uid = pod.uid,
          .generation = pod.generation,
          .node = pod.node,
          .is_pending = pod.is_pending,
          .is_group = pod.is_group};
}

std::string removing_on(const std::string& node) {
  return "pods of node " + node + " are being asked to go";
}

std::string not_kept_in_words(const CircuitBreakerStore& store) {
  return "what the circuit breaker counts cannot be kept (" + store.trouble() + ")";
}

std::optional<std::chrono::milliseconds> sooner(std::optional<std::chrono::milliseconds> a,
                                                std::optional<std::chrono::milliseconds> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace elbowroom::scheduler
