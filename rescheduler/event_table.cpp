#include "rescheduler/event_table.h"

#include <array>
#include <cstddef>
#include <utility>

namespace elbowroom::rescheduler {
namespace {

constexpr std::array kTable = {
    EventRow{EventReason::Rescheduled, "Rescheduled", "Evicting", false,
             "On a pod that is moved, and on its owner: by which policy, off which node, and what "
             "is to be gained where. The owner rests afterwards.",
             "", true},
    EventRow{EventReason::EvictionBlocked, "EvictionBlocked", "Evicting", true,
             "On a pod that would be moved: a disruption budget, or several, allow no more "
             "disruptions now. The note names each, and the number of other pods that the same "
             "ones block in this run.",
             "None: the next run evaluates it again."},
    EventRow{EventReason::ConfigurationRefused, "ConfigurationRefused", "Configuring", true,
             "On the ConfigMap with the configuration of moves: it cannot be understood, and the "
             "one before stays in use. The note names the key and the line.",
             "Correct the key; `elbowroom simulate reschedule -f FILE` reads the same ConfigMap."},
};

}  // namespace

std::span<const EventRow> event_table() { return kTable; }

const EventRow& row_of(EventReason reason) {
  return kTable.at(static_cast<std::size_t>(std::to_underlying(reason)));
}

const EventRow* find_row(std::string_view reason) { return control::row_of_reason(kTable, reason); }

std::string events_page() {
  return "# Events of elbowroom-rescheduler\n\nOf `events.k8s.io/v1`, with `reportingController: "
         "elbowroom.dev/rescheduler`. A dry run tells them in the log alone.\n\n" +
         control::rows_of_page(kTable);
}

}  // namespace elbowroom::rescheduler
