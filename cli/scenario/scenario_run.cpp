#include "cli/scenario/scenario_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "cli/scenario/budget_recorder.h"
#include "cli/scenario/expectation.h"
#include "cli/scenario/scenario_cluster.h"
#include "cli/scenario/scenario_world.h"
#include "cli/scenario/timeline_recorder.h"

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;

// Daemons may wake up forever (they retry what is refused); after this long without any change the
// run ends.
constexpr milliseconds kQuiet = std::chrono::minutes(15);
constexpr milliseconds kLongest = std::chrono::hours(24 * 365);

class Run {
 public:
  Run(const Scenario& scenario, const RunOptions& options)
      : scenario_(scenario),
        options_(options),
        cluster_(scenario, options.start, options.validates_capacity) {}

  Result<Played> play(const std::vector<Value>& objects) {
    RETURN_IF_ERROR(load_world(cluster_.world(), objects, scenario_.controllers));
    RETURN_IF_ERROR(cluster_.start_pods());
    timeline_.emplace(cluster_.world(), scenario_.agents, [this](const policy::Pod& pod) {
      // The disruption controller counts by itself.
      if (!scenario_.controllers) charge_budgets(cluster_.world(), pod);
    });
    changed_ = cluster_.version();
    for (std::optional<milliseconds> next = milliseconds(0); next; next = next_instant()) {
      now_ = *next;
      RETURN_IF_ERROR(pass_instant());
    }
    return finished();
  }

 private:
  Result<void> pass_instant() {
    RETURN_IF_ERROR(settle());
    for (; next_step_ < scenario_.steps.size() && scenario_.steps[next_step_].at == now_;
         ++next_step_) {
      RETURN_IF_ERROR(take_step(scenario_.steps[next_step_]));
      RETURN_IF_ERROR(settle());
      last_moved_ = now_;
    }
    judge(now_);
    if (options_.records_budgets) {
      budgets_.look(now_, options_.start + now_, cluster_.world(), timeline_->pods());
    }
    return {};
  }

  Result<void> settle() {
    // Recorded evictions charge budgets, which other daemons see at once.
    for (bool rests = false; !rests;) {
      const auto settled = cluster_.settle(now_);
      if (!settled) return std::unexpected(settled.error().with("at " + format_duration(now_)));
      const std::uint64_t version = cluster_.version();
      const auto decisions = cluster_.take_decisions();
      if (!decisions.empty()) last_moved_ = now_;
      for (TimelineEvent& move : cluster_.take_moves()) {
        move.at = now_;
        timeline_->note(std::move(move));
        last_moved_ = now_;
      }
      timeline_->write(now_, std::nullopt, decisions);
      for (lab::ReportedEvent& event : cluster_.take_events()) {
        told_[event.pod].push_back(std::move(event));
      }
      rests = cluster_.version() == version;
    }
    if (std::exchange(changed_, cluster_.version()) != changed_) last_moved_ = now_;
    return {};
  }

  Result<void> take_step(const Step& step) {
    ASSIGN_OR_RETURN(StepOutcome outcome, apply_step(cluster_, step, timeline_->uids()));
    timeline_->write(now_, outcome.words, {});
    if (!outcome.refusal.empty()) {
      played_.refusals.push_back(step.place + " at " + format_duration(now_) +
                                 ": the API server refuses: " + outcome.refusal);
    }
    if (outcome.is_event) {
      timeline_->note(
          {.at = now_,
           .actor = "world",
           .action = std::holds_alternative<RestartStep>(step.what) ? "Restarted" : "Changed",
           .pod = outcome.pod,
           .node = outcome.node,
           .why = outcome.words});
    }
    return {};
  }

  void judge(milliseconds at) {
    for (std::size_t i = 0; i < scenario_.expectations.size(); ++i) {
      const Expectation& each = scenario_.expectations[i];
      if (each.at == at) judge_one(each, format_duration(at));
    }
  }

  void judge_one(const Expectation& expectation, std::string at) {
    const auto why = expectation.is_of_group()
                         ? unmet_reason_of_group(expectation, group_of(expectation))
                         : unmet_reason_of_pod(expectation);
    if (!why) {
      ++played_.timeline.passed;
    } else {
      played_.timeline.failed.push_back({std::move(at), expectation.pod, expectation.group, *why});
    }
  }

  [[nodiscard]] const lab::Json* group_of(const Expectation& expectation) {
    static const lab::Kind& groups = *lab::find_kind("scheduling.k8s.io", "v1beta1", "podgroups");
    const std::size_t slash = expectation.group.find('/');
    return cluster_.world().peek(groups, expectation.group.substr(0, slash),
                                 expectation.group.substr(slash + 1));
  }

  [[nodiscard]] std::optional<std::string> unmet_reason_of_pod(const Expectation& expectation) {
    const auto pod = timeline_->pods().find(expectation.pod);
    return unmet_reason(expectation,
                        {.pod = pod == timeline_->pods().end() ? nullptr : &pod->second,
                         .events = told_[expectation.pod],
                         .judgement = cluster_.judgement_of(expectation.pod),
                         .start = options_.start});
  }

  // The time of the next look; nothing: the scenario is over.
  [[nodiscard]] std::optional<milliseconds> next_instant() const {
    std::optional<milliseconds> due;
    const auto consider = [&](std::optional<milliseconds> at) {
      if (at && *at > now_) due = std::min(due.value_or(*at), *at);
    };
    if (next_step_ < scenario_.steps.size()) consider(scenario_.steps[next_step_].at);
    for (const Expectation& each : scenario_.expectations) consider(each.at);
    consider(cluster_.next_on_nodes());
    const bool is_awaited = due.has_value();
    if (const auto wake = cluster_.next_in_daemons();
        wake && (is_awaited || scenario_.until || *wake - last_moved_ <= kQuiet)) {
      consider(wake);
    }
    if (scenario_.until) {
      consider(scenario_.until);
      if (due && *due > *scenario_.until) return std::nullopt;
    }
    if (due && *due > kLongest) return std::nullopt;
    return due;
  }

  Result<Played> finished() {
    Timeline& timeline = played_.timeline;
    timeline.ended = scenario_.until.value_or(time_of_last_change());
    for (const Expectation& each : scenario_.expectations) {
      if (!each.at) judge_one(each, "end");
    }
    timeline.scenario = scenario_.name;
    timeline.events = timeline_->take_events();
    for (const auto& [key, pod] : timeline_->pods()) timeline.pods.push_back(pod);
    timeline.budgets = budgets_.take();
    return std::move(played_);
  }

  // The time of the last change, without waits that had no result.
  [[nodiscard]] milliseconds time_of_last_change() const {
    milliseconds last = last_moved_;
    for (const Expectation& each : scenario_.expectations) {
      last = std::max(last, each.at.value_or(milliseconds(0)));
    }
    return last;
  }

  const Scenario& scenario_;
  const RunOptions& options_;
  ScenarioCluster cluster_;
  std::optional<TimelineRecorder> timeline_{};
  BudgetRecorder budgets_{};
  std::map<std::string, std::vector<lab::ReportedEvent>, std::less<>> told_{};  // by pod
  milliseconds now_{0};
  milliseconds last_moved_{0};
  std::uint64_t changed_ = 0;
  std::size_t next_step_ = 0;
  Played played_{};
};

}  // namespace

Result<Played> play(const Scenario& scenario, const std::vector<Value>& objects,
                    const RunOptions& options) {
  return Run(scenario, options).play(objects);
}

}  // namespace elbowroom::cli
