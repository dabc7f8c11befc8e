#include "scheduler/event_table.h"

#include <array>
#include <cstddef>
#include <utility>

namespace elbowroom::scheduler {
namespace {

using enum EventReason;

constexpr std::array kTable = {
    EventRow{
        Preempting, "Preempting", "Preempting", false,
        "On the pod whose resize is Deferred, or that is pending: others are removed to make room "
        "for it, or room is on its way already; the note says whose, and by when it is "
        "expected. Told again where that time moves by 15 seconds or more. Of a further set for "
        "the same "
        "resize it says what has changed since the last one went. It names the pod groups that go "
        "whole, and the gangs that keep fewer pods than their minCount. On a pod group: others are "
        "removed for its pods.",
        "", true},
    EventRow{
        FailedScheduling, "FailedScheduling", "Preempting", true,
        "On the pod whose resize is Deferred: no room is made for it, or it fits by our sums "
        "and the node still says no; on a pending pod, in mode full: no node takes it; on a pod "
        "group: its pods are not placed, or it is not supported; the note says why.",
        "`elbowroom explain pod NAMESPACE/NAME` says who holds the room and what would help; of a "
        "pending pod `elbowroom simulate schedule --from-cluster NAMESPACE/NAME`, of a pod group "
        "`elbowroom explain group NAMESPACE/NAME`."},
    EventRow{Preempted, "Preempted", "Preempting", false,
             "On a pod that was removed, with its own grace period, because a more important pod, "
             "or a pod group, needed the room on its node: for its resize, or to be placed there. "
             "A pod has it once, "
             "also where the scheduler that deleted it ends before it is written: the next leader "
             "writes it for pods that are still terminating. On a pod group that is removed whole: "
             "the API server does not let one of its pods go, which stays.",
             "", true, true},
    EventRow{Scheduled, "Scheduled", "Binding", false,
             "On a pending pod that was placed, in mode full: the note names the node.", ""},
    EventRow{ResizeFits, "ResizeFits", "Resize", false,
             "On the pod whose resize is Deferred: by our sums it fits by now, so that nobody is "
             "removed for it, and its node is to admit it. Where room was promised before, only "
             "once the node has not for ten seconds; after two minutes `FailedScheduling` shows "
             "both sums.",
             ""},
    EventRow{PriorityDiffers, "PriorityDiffers", "Scheduling", false,
             "On a pod group, in mode full: pods of it say another priority. The group's counts; "
             "the note says both.",
             ""},
    EventRow{RemovedAsOne, "RemovedAsOne", "Scheduling", false,
             "On a pod group with the basic policy and disruption mode all, in mode full: its pods "
             "are placed one by one, and removed as one.",
             ""},
};

}  // namespace

std::span<const EventRow> event_table() { return kTable; }

const EventRow& row_of(EventReason reason) {
  return kTable.at(static_cast<std::size_t>(std::to_underlying(reason)));
}

const EventRow* find_row(std::string_view reason) { return control::row_of_reason(kTable, reason); }

std::string events_page() {
  std::string page =
      "# Events of elbowroom-scheduler\n\nOf `events.k8s.io/v1`, with `reportingController: "
      "elbowroom.dev/scheduler` and the replica as `reportingInstance`. Counted,\ncombined and "
      "bounded as the agent's, but fifty a second. A decision that stays the same is told once; a "
      "dry run\ntells nothing. Events that wait are written also after the Lease is lost or given "
      "back; a "
      "process that ends goes on\nfor up to 6 s (2 s while none is written), and "
      "counts what is left as dropped.\n\n";

  return page + control::rows_of_page(kTable);
}

}  // namespace elbowroom::scheduler
