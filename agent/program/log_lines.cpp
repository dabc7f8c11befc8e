#include "agent/program/log_lines.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/match.h"
#include "control/log_lines.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {
namespace {

using daemon::LogEntry;
using daemon::LogLevel;
using Lines = std::vector<LogEntry>;

std::string name_of(const Victim& pod) { return pod.ns + "/" + pod.name; }

// No event tells of this condition; the others come with the event of what happened.
LogLevel level_of(std::string_view condition) {
  return condition == policy::kPodResizePreemptionDisabled ? LogLevel::Info : LogLevel::Debug;
}

Lines lines_of(const EmitEvent& event) {
  const bool is_node = event.ns.empty();
  return {{.level = event.warning ? LogLevel::Warn : LogLevel::Info,
           .message = event.in_log.empty() ? event.note : event.in_log,
           .pod = is_node ? "" : event.ns + "/" + event.pod,
           .node = is_node ? event.pod : "",
           .uid = event.uid,
           .reason = event.reason}};
}

Lines lines_of(const Actuate& actuate) {
  LogEntry line{.level = LogLevel::Debug, .pod = actuate.pod, .uid = actuate.pod_uid};
  std::visit(Match{[&](const policy::SetPod&) { line.message = "sizing the cgroup of a pod"; },
                   [&](const policy::UpdateContainer& update) {
                     line.message = "sizing a container";
                     line.reason = update.name;
                   },
                   [&](const policy::RestartContainer& restart) {
                     line.level = LogLevel::Warn;
                     line.message = "restarting a container, as its resize policy wants";
                     line.reason = restart.name;
                   }},
             actuate.step);
  return {line};
}

Lines lines_of(const WriteStatus& write) {
  const std::string pod = write.ns + "/" + write.name;
  Lines lines;
  for (const policy::Condition& set : write.set) {
    lines.push_back({.level = level_of(set.type),
                     .message = "condition set: " + set.type,
                     .pod = pod,
                     .uid = write.pod_uid,
                     .reason = set.reason});
  }
  for (const std::string& type : write.remove) {
    lines.push_back({.level = level_of(type),
                     .message = "condition cleared: " + type,
                     .pod = pod,
                     .uid = write.pod_uid});
  }
  if (!write.containers.empty() || write.pod_level) {
    lines.push_back({.level = LogLevel::Debug,
                     .message = "writing allocated and actual sizes into a pod's status",
                     .pod = pod,
                     .uid = write.pod_uid});
  }
  return lines;
}

Lines lines_of(const MarkVictim& mark) {
  return {
      {.level = mark.clear ? LogLevel::Info : LogLevel::Debug,
       .message = mark.clear ? "taking back the mark of a pod that stays" : "marking a pod to go",
       .pod = name_of(mark.victim),
       .uid = mark.victim.uid}};
}

Lines lines_of(const DeleteVictim& removal) {
  return {{.level = LogLevel::Debug,
           .message = removal.dry_run ? "asking whether a pod may be deleted" : "deleting a pod",
           .pod = name_of(removal.victim),
           .uid = removal.victim.uid}};
}

Lines lines_of(const AnnotateNode& annotate) {
  return {{.level = LogLevel::Debug,
           .message = annotate.critical_preemption
                          ? "annotating the node: it makes room for critical pods itself"
                          : "taking the annotation for critical pods off the node",
           .node = annotate.node}};
}

Lines lines_of(const ReadBudgets& read) {
  return {{.level = LogLevel::Debug,
           .message = "reading the disruption budgets of namespace " + read.ns}};
}

Lines lines_of(const EnterVictim& enter) {
  return {{.level = LogLevel::Debug,
           .message = "entering a pod in the ledger of disruption budget " + enter.budget.ns + "/" +
                      enter.budget.name,
           .pod = name_of(enter.victim),
           .uid = enter.victim.uid}};
}

Lines lines_of(const SaveCheckpoint& save) {
  return {{.level = LogLevel::Debug,
           .message = "saving the allocations of " + std::to_string(save.checkpoint.pods.size()) +
                      " pods"}};
}

}  // namespace

Lines lines_of(const Effect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

Lines lines_of(const Observation& seen) {
  return std::visit(
      Match{
          [&](const Failed& failed) { return control::failure_line(failed.effect, failed.error); },
          [&](const ApiLost& lost) {
            return control::debug_line("the API server is not followed", lost.why);
          },
          [&](const ApiBack&) {
            return control::debug_line("the API server is followed again", "");
          },
          [&](const RuntimeLost& lost) {
            return control::debug_line("the runtime does not answer", lost.why);
          },
          [&](const PodsListed& listed) {
            return control::debug_line(
                std::to_string(listed.pods.size()) + " pods of this node are listed", "");
          },
          [](const auto&) { return Lines{}; }},
      seen.what);
}

Lines lines_of(const Snapshot& now) {
  Lines lines;
  for (const Undone& undone : now.undone) {
    lines.push_back({.level = LogLevel::Warn,
                     .message = "somebody undid what this agent wrote: " + undone.what,
                     .pod = undone.pod,
                     .uid = undone.uid});
  }
  for (const Overruled& each : now.overruled) {
    lines.push_back({.level = LogLevel::Warn,
                     .message = "the checkpoint is older than what API server and runtime show: "
                                "generation " +
                                std::to_string(each.generation) + ", they show " +
                                std::to_string(each.by) + ", which counts",
                     .pod = each.pod,
                     .uid = each.uid});
  }
  return lines;
}

}  // namespace elbowroom::agent
