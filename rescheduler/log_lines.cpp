#include "rescheduler/log_lines.h"

#include <string>
#include <variant>

#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {
namespace {

using control::lines_of;
using control::LogLines;

LogLines lines_of(const WriteBudget& write) {
  return control::debug_line("writing the status of disruption budget " + name_of(write.budget) +
                             ": allows " + std::to_string(write.status.disruptions_allowed));
}

LogLines lines_of(const ReportOdd& odd) {
  return control::debug_line("saying in the status of disruption budget " + odd.budget +
                             " that it is not understood: " + odd.why);
}

LogLines lines_of(const DropAvoided& drop) {
  return {{.level = daemon::LogLevel::Debug,
           .message = "taking ended entries of pods to avoid from a node",
           .node = drop.node}};
}

}  // namespace

LogLines lines_of(const Effect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

LogLines lines_of(const Observation& seen) {
  return control::lines_of_seen<Collection>(seen, kCollectionTable);
}

}  // namespace elbowroom::rescheduler
