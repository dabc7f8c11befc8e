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

LogLines lines_of(const AvoidNode& avoid) {
  return {{.level = daemon::LogLevel::Debug,
           .message =
               "the pods of the controller of pod " + name_of(avoid.pod) + " are to avoid its node",
           .node = avoid.node}};
}

LogLines lines_of(const AllowNode& allow) {
  return {{.level = daemon::LogLevel::Debug,
           .message = "taking the entry for pod uid " + allow.pod_uid + " back",
           .node = allow.node}};
}

LogLines lines_of(const EvictPod& evict) {
  return control::debug_line((evict.dry_run ? "asking whether pod " : "evicting pod ") +
                             name_of(evict.pod) + (evict.dry_run ? " may be evicted" : ""));
}

LogLines lines_of(const ReadLedger& read) {
  return control::debug_line("reading disruption budget " + cluster::to_string(read.budget));
}

LogLines lines_of(const WriteLedger& write) {
  return control::debug_line("writing the ledger of disruption budget " +
                             cluster::to_string(write.budget));
}

LogLines lines_of(const WriteRests& /*rests*/) {
  return control::debug_line("writing the rests of owners");
}

LogLines lines_of(const AnswerReview& answer) {
  const std::string review = "review " + std::to_string(answer.number);
  if (!answer.answer) return control::debug_line(review + " is left to the failurePolicy");
  if (!answer.answer->allowed) {
    return {{.level = daemon::LogLevel::Info, .message = "refused: " + answer.answer->message}};
  }
  if (answer.answer->warning.empty()) return control::debug_line(review + " is allowed");
  return {{.level = daemon::LogLevel::Warn, .message = "let pass: " + answer.answer->warning}};
}

}  // namespace

LogLines lines_of(const Effect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

LogLines lines_of(const Observation& seen) {
  return control::lines_of_seen<Collection>(seen, kCollectionTable);
}

}  // namespace elbowroom::rescheduler
