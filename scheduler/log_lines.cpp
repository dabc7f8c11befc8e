#include "scheduler/log_lines.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace elbowroom::scheduler {
namespace {

using daemon::LogEntry;
using daemon::LogLevel;
using Lines = std::vector<LogEntry>;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

std::string name_of(const Victim& pod) { return pod.ns + "/" + pod.name; }

std::string_view name_of(Collection of) {
  switch (of) {
    case Collection::Nodes:
      return "nodes";
    case Collection::Pods:
      return "pods";
    case Collection::Budgets:
      return "budgets";
    case Collection::OwnBudgets:
      return "our own budgets";
    case Collection::Namespaces:
      return "namespaces";
  }
  return "";
}

Lines lines_of(const EmitEvent& event) {
  const std::string& told = event.in_log.empty() ? event.note : event.in_log;
  return {{.level = event.warning ? LogLevel::Warn : LogLevel::Info,
           .message = event.log_only ? "dry run: " + told : told,
           .pod = name_of(event.regarding),
           .uid = event.regarding.uid,
           .reason = event.reason}};
}

Lines lines_of(const MarkVictim& mark) {
  return {
      {.level = mark.clear ? LogLevel::Info : LogLevel::Debug,
       .message = mark.clear ? "taking back the mark of a pod that stays" : "marking a pod to go",
       .pod = name_of(mark.victim),
       .uid = mark.victim.uid}};
}

Lines lines_of(const DeleteVictim& removal) {
  return {{.level = removal.dry_run ? LogLevel::Debug : LogLevel::Warn,
           .message = removal.dry_run ? "asking whether a pod may be deleted"
                                      : "deleting a pod to make room",
           .pod = name_of(removal.victim),
           .uid = removal.victim.uid}};
}

Lines lines_of(const BindPod& bind) {
  return {{.level = LogLevel::Debug,
           .message = "binding a pod",
           .pod = name_of(bind.pod),
           .node = bind.node,
           .uid = bind.pod.uid}};
}

Lines lines_of(const WriteLease& write) {
  return {{.level = LogLevel::Debug,
           .message = write.lease.holder.empty() ? "giving the Lease back" : "writing the Lease",
           .reason = write.lease.holder}};
}

Lines lines_of(const ReadBreaker& /*read*/) {
  return {{.level = LogLevel::Debug, .message = "reading what the circuit breaker counts"}};
}

Lines lines_of(const WriteBreaker& /*write*/) {
  return {{.level = LogLevel::Debug, .message = "writing what the circuit breaker counts"}};
}

Lines lines_of(const GiveUpWrites& /*all*/) {
  return {{.level = LogLevel::Warn,
           .message =
               "giving up what the API server has not answered, to hand over; the next leader "
               "finishes what was marked"}};
}

// Whatever else it can do: no line of its own.
template <class What>
Lines lines_of(const What&) {
  return {};
}

void tell_of(Collection of, const api::Freshness& before, const api::Freshness& now, Lines& lines) {
  const std::string what(name_of(of));
  if (now.lists > before.lists) {
    lines.push_back({.level = LogLevel::Debug, .message = "listing " + what});
  }
  if (now.watches > before.watches) {
    lines.push_back({.level = LogLevel::Debug,
                     .message = "watching " + what + ", watch " + std::to_string(now.watches)});
  }
}

}  // namespace

Lines lines_of(const Effect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

Lines lines_of(const Observation& seen) {
  const auto debug = [](std::string message, std::string err) {
    return Lines{{.level = LogLevel::Debug, .message = std::move(message), .err = std::move(err)}};
  };
  return std::visit(Match{[&](const Failed& failed) {
                            return debug("effect " + std::to_string(failed.effect) + " failed",
                                         failed.error.message);
                          },
                          [&](const Lost& lost) {
                            return debug(std::string(name_of(lost.of)) + " are not followed",
                                         lost.why);
                          },
                          [&](const Back& back) {
                            return debug(std::string(name_of(back.of)) + " are followed again", "");
                          },
                          [](const auto&) { return Lines{}; }},
                    seen.what);
}

Lines lines_of(const ApiRound& before, const ApiRound& now) {
  Lines lines;
  tell_of(Collection::Nodes, before.nodes, now.nodes, lines);
  tell_of(Collection::Pods, before.pods, now.pods, lines);
  tell_of(Collection::Budgets, before.budgets, now.budgets, lines);
  tell_of(Collection::OwnBudgets, before.own_budgets, now.own_budgets, lines);
  tell_of(Collection::Namespaces, before.namespaces, now.namespaces, lines);
  return lines;
}

void LeaseError::performed(const Effect& effect) {
  if (std::holds_alternative<WriteLease>(effect.what)) last_ = effect.id;
}

void LeaseError::seen(const Observation& seen) {
  if (const auto* done = std::get_if<Done>(&seen.what); done != nullptr && done->effect == last_) {
    why_.clear();
  }
  const auto* failed = std::get_if<Failed>(&seen.what);
  if (failed == nullptr || failed->effect != last_) return;
  why_ = failed->error.code == Code::Conflict ? "" : failed->error.message;
}

}  // namespace elbowroom::scheduler
