#include "agent/write/event_table.h"

#include <array>
#include <cstddef>
#include <utility>

namespace elbowroom::agent {
namespace {

using enum EventReason;

constexpr std::array kTable = {
    EventRow{ResizeStarted, "ResizeStarted", "Resize", false,
             "The resize was allocated and is on the node's disk; the runtime is told now.", ""},
    EventRow{ResizeCompleted, "ResizeCompleted", "Resize", false,
             "What the runtime and the cgroups report is what was allocated.", ""},
    EventRow{
        ResizeDeferred, "ResizeDeferred", "Resize", true,
        "The node has no room for it now; the note says what is short. It is judged again whenever "
        "a pod of the node changes.",
        "`elbowroom explain pod NAMESPACE/NAME` says who holds the room and who could go."},
    EventRow{ResizeInfeasible, "ResizeInfeasible", "Resize", true,
             "The node can never have room for it as it is asked, or may not resize this pod.",
             "Ask for less, or let the pod be created anew on a larger node."},
    EventRow{
        ResizeError, "ResizeError", "Resize", true,
        "The runtime refused a step or did not do what it said; it is tried again with growing "
        "pauses. Each other error is told once.",
        "The note has the runtime's words; a memory limit below what is in use waits until less is "
        "used."},
    EventRow{
        Preempting, "Preempting", "Preempting", true,
        "This pod is removed, with its own grace period, because a critical pod of its node needs "
        "the room for its resize; the note says which.",
        "Give the pod a higher priority, or the node more room.", true},
    EventRow{
        EvictionBlocked, "EvictionBlocked", "Preempting", true,
        "Pods would have to go for this critical pod's resize, and may not: too many have gone "
        "lately for the circuit breaker, hard disruption budgets keep them, or what they leave "
        "would go to a pod that comes first and "
        "for which the node removes nobody (the breaker stops it, or it is the scheduler's turn). "
        "The resize stays Deferred.",
        "Find out what keeps asking for room; the breaker opens again by itself, and where a "
        "scheduler runs it takes its turn."},
    EventRow{
        ResizeContended, "ResizeContended", "Resize", true,
        "Another writer keeps undoing what the agent writes or gives; it has stopped writing and "
        "resizing, and `/readyz` fails.",
        "Let one of the two go: run `--mode companion` beside a kubelet, or end the other writer. "
        "The agent goes on by itself after the quiet time that the note names."},
    EventRow{ResizeResumed, "ResizeResumed", "Resize", false,
             "After `ResizeContended` no other writer was seen for as long as it had to be quiet: "
             "the agent writes and resizes again.",
             ""},
    EventRow{
        SafeModeEntered, "SafeModeEntered", "Restart", true,
        "The agent ended abnormally five times within ten minutes. It observes and explains, and "
        "writes and resizes nothing, until it is restarted.",
        "`journalctl -t elbowroomd` on the node has its last words; mend the cause, then restart "
        "the unit that the note names."},
    EventRow{
        PodRejected, "PodRejected", "Admit", true,
        "This pod was bound to the node, which has no room for it and makes none; it is Failed, as "
        "a kubelet does it. The note says what is short.",
        "Let the scheduler place it, or give it a request that fits."},
};

}  // namespace

std::span<const EventRow> event_table() { return kTable; }

EmitEvent event_of(EventReason reason, const policy::Pod& about, const policy::PodText& note) {
  const EventRow& row = row_of(reason);
  return {.ns = about.ns,
          .pod = about.name,
          .uid = about.uid,
          .warning = row.warning,
          .reason = std::string(row.reason),
          .action = std::string(row.action),
          .note = note.on_pod(),
          .in_log = note.full() == note.on_pod() ? "" : note.full()};
}

const EventRow& row_of(EventReason reason) {
  return kTable.at(static_cast<std::size_t>(std::to_underlying(reason)));
}

bool tells_of_removal(std::string_view reason) {
  const EventRow* row = control::row_of_reason(kTable, reason);
  return row != nullptr && row->is_of_removal;
}

std::string events_page() {
  std::string page =
      "# Events of elbowroomd\n\nWhat `kubectl get events` shows of the agent, as "
      "`events.k8s.io/v1` with `reportingController: elbowroom.dev/agent` and the\nnode as "
      "`reportingInstance`. This page is printed by `elbowroom reference events`; a test compares "
      "the "
      "two.\n\n"
      "An event is written when something has happened, never before. The same one again "
      "becomes a count; more than ten in ten\n"
      "minutes that differ in their note alone are told as one. What cannot be written at "
      "once waits: what tells of removals\n"
      "first, of one object and reason the newest, up to 100,000. All together are ten a "
      "second, and of one object, but for\n"
      "removals, one every five minutes after the first 25. While the API server is away, "
      "or says that it has too much to do, they\n"
      "wait too. What is not written in the end is counted in "
      "`elbowroom_events_dropped_total`. No text on a pod names pods of\n"
      "other namespaces: they go by their uid. Nothing may be driven by events: conditions "
      "say how things are.\n\n";

  return page + control::rows_of_page(kTable);
}

}  // namespace elbowroom::agent
