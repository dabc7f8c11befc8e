// Records what happens in a world as the events of a timeline. Except for those of the scheduler's
// decisions that change no pod, it only compares pods before and after, so only changes are
// events, whichever program made them and however often it decided the same.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/scenario/decision_log.h"
#include "cli/scenario/scenario.h"
#include "cli/scenario/timeline.h"
#include "lab/world/world.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

class TimelineRecorder {
 public:
  // Pods that already exist are no events. `removed` is called for each pod that begins to
  // terminate.
  TimelineRecorder(const lab::World& world, Agents agents,
                   std::function<void(const policy::Pod&)> removed);

  // Records what changed since the last call. A change by a step of the scenario is described by
  // `by_step`; any other was made by a node, an agent or the scheduler, which decided `decisions`
  // in the meantime.
  void write(std::chrono::milliseconds now, const std::optional<std::string>& by_step,
             std::span<const SchedulerDecision> decisions);

  // Adds an event that changes no pod.
  void note(TimelineEvent event) { events_.push_back(std::move(event)); }

  [[nodiscard]] std::vector<TimelineEvent> take_events() { return std::move(events_); }
  [[nodiscard]] const std::map<std::string, policy::Pod, std::less<>>& pods() const {
    return pods_;
  }
  // Of all pods so far.
  [[nodiscard]] const std::set<std::string, std::less<>>& uids() const { return uids_; }

 private:
  void read_all();
  void write_change(const lab::WatchEvent& change, const std::optional<std::string>& by_step);
  void write_decision(const SchedulerDecision& decision);
  void differ(const policy::Pod& was, const policy::Pod& is,
              const std::optional<std::string>& by_step);
  void life(const policy::Pod& was, const policy::Pod& is);
  void record_termination(const policy::Pod& pod);
  void resize(const policy::Pod& was, const policy::Pod& is);
  void nomination(const policy::Pod& was, const policy::Pod& is);
  void pending(const policy::Pod& was, const policy::Pod& is);
  void record_policy_condition(const policy::Pod& was, const policy::Pod& is);
  void actuation(const policy::Pod& was, const policy::Pod& is, bool begun);
  void say(std::string actor, std::string action, const policy::Pod& pod, std::string why);
  void place(std::string action, const policy::Pod& pod, std::string node);
  void decided(std::string action, const policy::Pod& pod, std::string why);

  const lab::World& world_;
  Agents agents_;
  std::function<void(const policy::Pod&)> removed_;
  std::uint64_t version_ = 0;
  std::chrono::milliseconds now_{0};
  std::map<std::string, policy::Pod, std::less<>> pods_;  // by NAMESPACE/NAME
  // Actual sizes before resizes in progress whose end is not recorded yet.
  std::map<std::string, policy::Pod, std::less<>> begun_;
  std::set<std::string, std::less<>>
      recorded_sets_;  // recorded removals, by preemptor and generation
  std::set<std::string, std::less<>> uids_;
  std::vector<TimelineEvent> events_;
};

}  // namespace elbowroom::cli
