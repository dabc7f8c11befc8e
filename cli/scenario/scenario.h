// A scenario: objects, timed steps, and expectations. The document is strict where a typo would
// disable a test: an unknown key of a step or an expectation is an error with a suggestion.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/object_name.h"
#include "lab/scheduler_mode.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/model/resources.h"

namespace elbowroom::cli {

struct ApplyStep {
  lab::Json object{};  // with kind, namespace and uid
};
struct ResizeStep {
  ObjectName pod{};
  std::map<std::string, lab::Json> containers{};  // {"requests": {}, "limits": {}} by name
};
struct DeleteStep {
  const lab::Kind* kind = nullptr;
  ObjectName name{};
};
struct ExitStep {
  ObjectName pod{};
};
struct PatchStep {
  const lab::Kind* kind = nullptr;
  ObjectName name{};
  lab::Json merge{};
};
// As `elbowroom evict` does, without waiting.
struct EvictStep {
  ObjectName pod{};
  bool avoids_node = false;  // for an hour
};
struct RestartStep {
  std::string node{};           // whose agent; "": another program
  bool is_rescheduler = false;  // else, without a node, the scheduler
};

struct Step {
  std::chrono::milliseconds at{0};
  std::string place{};  // "spec.steps[2]", for messages
  std::variant<ApplyStep, ResizeStep, DeleteStep, ExitStep, PatchStep, RestartStep, EvictStep>
      what{};
};

struct ExpectedCondition {
  std::string type{};
  bool absent = false;
  std::optional<std::string> status{};
  std::optional<std::string> reason{};
  std::optional<std::string> message{};  // a substring
};

// About the pod's events so far.
struct ExpectedEvent {
  std::string reason{};
  std::optional<std::string> note{};                // a substring
  std::optional<std::chrono::milliseconds> time{};  // scenario time in the note
  std::optional<std::int64_t> count{};              // nothing: at least once
};

// The scheduler's latest verdict about the pod.
struct ExpectedJudgement {
  bool absent = false;                   // no decision is pending
  std::optional<std::string> result{};   // as in metrics
  std::optional<std::string> message{};  // a substring
};

struct Expectation {
  std::optional<std::chrono::milliseconds> at{};  // nothing: the end
  std::string pod{};                              // NAMESPACE/NAME; "" where it is about
  std::string group{};                            // a pod group: only `exists` and `condition`
  std::optional<bool> exists{};
  std::optional<std::string> node{};
  std::optional<std::string> nominated_node{};
  std::optional<std::string> phase{};
  std::optional<policy::Resources> allocated{};  // of the named resources
  std::vector<std::string> allocated_names{};
  std::optional<ExpectedCondition> condition{};
  std::optional<ExpectedEvent> event{};
  std::optional<ExpectedJudgement> judgement{};

  [[nodiscard]] bool is_of_group() const { return !group.empty(); }
};

// Which agents run on the nodes. A companion runs beside a stand-in for the kubelet.
enum class Agents : std::uint8_t { Authority, Companion, None };

struct Scenario {
  std::string name{};
  Agents agents = Agents::Authority;
  lab::SchedulerMode scheduler = lab::SchedulerMode::None;
  bool rescheduler = false;
  bool controllers = false;  // of Deployments, ReplicaSets, ... and PodDisruptionBudgets
  std::set<std::string, std::less<>> yield_to{};     // schedulers that go first
  std::vector<Value> objects{};                      // as written
  std::vector<Step> steps{};                         // by time
  std::optional<std::chrono::milliseconds> until{};  // nothing: until nothing more can happen
  std::vector<Expectation> expectations{};
};

// Parses one YAML or JSON document. Invalid: anything that is not a Scenario; messages name the
// field.
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text);

}  // namespace elbowroom::cli
