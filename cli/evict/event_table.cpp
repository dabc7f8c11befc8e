#include "cli/evict/event_table.h"

#include <array>
#include <cstddef>
#include <utility>

namespace elbowroom::cli {
namespace {

constexpr std::array kTable = {EventRow{
    EventReason::EvictionBlocked, "EvictionBlocked", "Evicting", true,
    "On a pod that somebody asked to evict: a disruption budget, or several, allow no more "
    "disruptions now. The note names each, what it allows and, where a rate says so, when the next "
    "one is allowed.",
    "Wait until then, or until more pods of the set are Ready; `elbowroom evict --wait` does."}};

}  // namespace

std::span<const EventRow> event_table() { return kTable; }

const EventRow& row_of(EventReason reason) {
  return kTable.at(static_cast<std::size_t>(std::to_underlying(reason)));
}

std::string events_page() {
  return "# Events of elbowroom evict\n\nOf `events.k8s.io/v1`, with `reportingController: "
         "elbowroom.dev/evict`. Each news is told once, also where it is asked\nfor again; a dry "
         "run tells nothing, and an eviction does not wait for the right to write events.\n\n" +
         control::rows_of_page(kTable);
}

}  // namespace elbowroom::cli
