#include "test/simulation/scheduler_invariants.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostAtOnce = 2000;
constexpr std::ptrdiff_t kMostRepeats = 12;
constexpr milliseconds kRepeatWindow{2000};

// The object of a write, so that its repetition is known.
std::string subject_of(const scheduler::Effect& effect) {
  std::string about = std::to_string(effect.what.index());
  if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
    about += mark->victim.uid;
  }
  if (const auto* gone = std::get_if<scheduler::DeleteVictim>(&effect.what)) {
    about += gone->victim.uid;
  }
  if (const auto* asked = std::get_if<scheduler::ConfirmResize>(&effect.what)) {
    about += asked->preemptor.uid;
  }
  if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) about += bind->pod.uid;
  if (const auto* pending = std::get_if<scheduler::WritePending>(&effect.what)) {
    about += pending->pod.uid;
  }
  if (const auto* group = std::get_if<scheduler::WriteGroupStatus>(&effect.what)) {
    about += group->group.uid;
    for (const policy::Condition& each : group->set) about += each.type;
  }
  if (const auto* asked = std::get_if<scheduler::ConfirmGroup>(&effect.what)) {
    about += asked->group.uid;
  }
  if (const auto* read = std::get_if<scheduler::ReadLedger>(&effect.what)) {
    about += read->budget.uid;
  }
  if (const auto* write = std::get_if<scheduler::WriteLedger>(&effect.what)) {
    about += write->budget.uid;
  }
  return about;
}

// Counts it in, and returns how often it was counted lately.
std::ptrdiff_t counted(SchedulerInvariants::Lately& lately, milliseconds now, std::string about) {
  while (!lately.empty() && lately.front().first < now - kRepeatWindow) lately.pop_front();
  lately.emplace_back(now, about);
  return std::ranges::count(lately, about, [](const auto& each) { return each.second; });
}

// The uid of the pod that the API server is asked to remove by it.
std::optional<std::string> removed_by(const api::Request& request) {
  if (request.method != api::Method::Delete) return std::nullopt;
  const lab::Json body = lab::Json::parse(request.body, nullptr, false);
  if (body.contains("dryRun")) return std::nullopt;
  return lab::text_at(body, {"preconditions", "uid"});
}

}  // namespace

SchedulerInvariants::SchedulerInvariants(lab::Simulation& simulation, Rules rules)
    : simulation_(simulation),
      rules_(std::move(rules)),
      placing_(simulation, rules_.upstream, [this](std::string what) { break_(std::move(what)); }),
      groups_(placing_, rules_.upstream, [this](std::string what) { break_(std::move(what)); }),
      removals_(placing_, groups_, rules_.upstream, rules_.yields_to,
                [this](std::string what) { break_(std::move(what)); }),
      requests_(simulation, [this](std::string what) { break_(std::move(what)); }),
      settled_(simulation, rules_.upstream, [this](std::string what) { break_(std::move(what)); }),
      settled_placing_(simulation, rules_.upstream,
                       [this](std::string what) { break_(std::move(what)); }),
      settled_groups_(simulation, rules_.upstream,
                      [this](std::string what) { break_(std::move(what)); }),
      whole_groups_(simulation),
      budgets_(simulation, rules_.upstream, [this](std::string what) { break_(std::move(what)); }) {
}

void SchedulerInvariants::break_(std::string what) {
  broken_.push_back(
      "at " + std::to_string(std::chrono::floor<milliseconds>(simulation_.elapsed()).count()) +
      "ms: " + std::move(what));
}

void SchedulerInvariants::began(const std::string& name) {
  Process& process = processes_[name];
  check_decisions(name, process);
  process = {};
  if (rules_.places) process.mirror.collections += 5;  // namespaces, and what selects pods
  placing_.began(name);
  removals_.began(name, std::chrono::floor<milliseconds>(simulation_.elapsed()));
}

void SchedulerInvariants::observed(const std::string& name, const scheduler::Observation& seen) {
  Process& process = processes_[name];
  check_decisions(name, process);
  check_pace(name, process, seen);
  process.mirror.take_in(seen);
  if (rules_.places) placing_.observed(name, seen);
}

void SchedulerInvariants::decided(const std::string& name, const scheduler::Effect& effect) {
  Process& process = processes_[name];
  process.mirror.decided(effect);
  if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
    check_mark(name, process, *mark);
  }
  process.decided.push_back(effect);
}

void SchedulerInvariants::check_decisions(const std::string& name, Process& process) {
  const std::vector<scheduler::Effect> decided = std::exchange(process.decided, {});
  removals_.check(name, process.mirror, decided);
  groups_.check(name, process.mirror, decided);
  placing_.check(name, process.mirror, decided);
}

void SchedulerInvariants::asked(const std::string& name, const api::Request& request) {
  if (const auto uid = removed_by(request)) {
    removals_.asked_to_remove(*uid);
    if (rules_.groups) whole_groups_.asked_to_remove(*uid);
    if (rules_.budgets) budgets_.asked_to_remove(*uid);
  }
  const auto at = processes_.find(name);
  if (at != processes_.end()) requests_.check(name, at->second.mirror, request);
}

// It comes to rest, and does not flood the API server.
void SchedulerInvariants::check_pace(const std::string& name, Process& process,
                                     const scheduler::Observation& seen) {
  const Time now = seen.at.since_start;
  process.at_once = now > process.mirror.now ? 0 : process.at_once + 1;
  if (process.at_once == kMostAtOnce) {
    break_(name + " turns around " + std::to_string(kMostAtOnce) + " times without a pause");
  }
  if (const auto* failed = std::get_if<scheduler::Failed>(&seen.what)) {
    check_failure(process, now, failed->effect);
  }
}

// A write is not tried again and again without a pause.
void SchedulerInvariants::check_failure(Process& process, Time now, scheduler::EffectId effect) {
  const auto at = process.mirror.under_way.find(effect);
  if (at == process.mirror.under_way.end()) return;
  // Each turn of a pod may write the status of its group once more.
  if (std::holds_alternative<scheduler::WriteGroupStatus>(at->second.what)) return;
  const auto times = counted(process.failed, now, subject_of(at->second));
  if (times > kMostRepeats) {
    break_("the same write failed " + std::to_string(times) + " times within 2 s");
  }
}

// A pod is not chosen again and again and let go.
void SchedulerInvariants::check_mark(const std::string& name, Process& process,
                                     const scheduler::MarkVictim& mark) {
  if (mark.clear) return;
  const auto times = counted(process.marked, process.mirror.now, mark.victim.uid);
  if (times > kMostRepeats) {
    break_(name + " marks " + mark.victim.name + " " + std::to_string(times) + " times within 2 s");
  }
}

void SchedulerInvariants::check_settled(const std::vector<std::string>& schedulers,
                                        const std::vector<std::string>& nodes) {
  for (auto& [name, process] : processes_) check_decisions(name, process);
  const std::string leader = settled_.check_leader(schedulers);
  if (leader.empty()) return;
  const SchedulerMirror& mirror = processes_.at(leader).mirror;
  if (rules_.groups) {
    const SettledPlacing::Leader of{leader, mirror, placing_.assumed(leader), removals_.causes()};
    settled_groups_.check(of, nodes);
    for (const std::string& part : whole_groups_.parts(mirror)) break_(part);
    settled_placing_.check(of, nodes);
    return;
  }
  for (const std::string& node : nodes) {
    settled_.check_node(leader, mirror, removals_.causes(), node);
  }
  if (!rules_.places) return;
  settled_placing_.check({leader, mirror, placing_.assumed(leader), removals_.causes()}, nodes);
}

}  // namespace elbowroom::test
