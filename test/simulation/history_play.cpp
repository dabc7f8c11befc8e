#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "agent/recording/recording.h"
#include "test/simulation/history.h"
#include "test/simulation/history_pods.h"
#include "test/simulation/invariants.h"
#include "test/simulation/strangers.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr minutes kSettlesWithin{90};  // the longest that it yields, and some
// The faults end as soon as it counts: from then on another history's faults find more.
constexpr std::size_t kEnoughObservations = kLeastObservations;
constexpr std::size_t kEnoughFaults = kLeastFaults;
// Then its faults end, and users go on for so many steps.
constexpr int kStepsWithoutFaults = 40;

const lab::Kind& pods() { return *lab::find_kind("", "v1", "pods"); }
const lab::Kind& nodes() { return *lab::find_kind("", "v1", "nodes"); }

std::string mebibytes(std::int64_t amount) { return std::to_string(amount) + "Mi"; }
std::string millicores(std::int64_t amount) { return std::to_string(amount) + "m"; }

Json amounts_of(std::int64_t cpu, std::int64_t memory) {
  return {{"cpu", millicores(cpu)}, {"memory", mebibytes(memory)}, {"pods", "110"}};
}

Json node_object(const History& history, const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"status",
           {{"capacity", amounts_of(history.cpu, history.memory)},
            {"allocatable", amounts_of(history.cpu, history.memory)},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

// What --record writes, life by life, onto a disk that no fault is armed on.
class Recordings {
 public:
  void seen(const agent::Reactor& reactor, const agent::ReactorOptions& options,
            const agent::Observation& seen) {
    answer();
    // A reactor that has seen nothing yet is another process.
    if (!recorder_ || reactor.state().now == agent::Moment{}) {
      recorder_.emplace(path(lives_++), recording::kUsualRecordLimit, options, disk_);
    }
    recorder_->seen(reactor, seen);
    waits_ = true;
  }
  void decided(const agent::Effect& effect) { effects_.push_back(effect); }

  [[nodiscard]] std::vector<std::string> texts() {
    answer();
    std::vector<std::string> all;
    for (std::size_t i = 0; i < lives_; ++i) all.push_back(disk_.content(path(i)));
    return all;
  }

 private:
  static std::string path(std::size_t life) { return "/recording-" + std::to_string(life); }
  void answer() {
    if (std::exchange(waits_, false)) recorder_->did(std::exchange(effects_, {}));
  }

  lab::VirtualDisk disk_{};
  std::optional<agent::Recorder> recorder_{};
  std::size_t lives_ = 0;
  agent::Effects effects_{};
  bool waits_ = false;  // for the effects of what was seen last
};

struct Allocatable {
  std::int64_t cpu = 0;     // millicores
  std::int64_t memory = 0;  // MiB
};

struct Wanted {
  bool log = false;
  bool recordings = false;
};

class Player {
 public:
  Player(const History& history, Wanted wanted)
      : history_(history),
        with_log_(wanted.log),
        with_recordings_(wanted.recordings),
        simulation_({.seed = history.seed, .world = {.history = 512}}, hooks()) {
    for (std::size_t i = 0; i < history.nodes; ++i) {
      const std::string node = name_of(i);
      invariants_.try_emplace(node, simulation_, node, history.authority);
      allocatable_[node] = {.cpu = history.cpu, .memory = history.memory};
    }
  }

  Outcome play() {
    for (const auto& [node, each] : invariants_) {
      must(simulation_.world().load(node_object(history_, node)));
      simulation_.add_node(node, true,
                           history_.cgroups_v2 ? cri::CgroupVersion::V2 : cri::CgroupVersion::V1);
    }
    auto next = history_.steps.begin();
    for (; next != history_.steps.end() && next->at.count() == 0; ++next) apply(*next);
    start_agents();
    for (; next != history_.steps.end() && !is_enough() && !is_broken(); ++next) {
      run_through(*next);
    }
    end_faults();
    for (int rest = kStepsWithoutFaults; rest > 0 && next != history_.steps.end() && !is_broken();
         ++next) {
      if (is_fault(*next)) continue;
      run_through(*next);
      --rest;
    }
    if (!is_broken()) settle();
    for (const auto& [node, each] : invariants_) {
      outcome_.broken.insert(outcome_.broken.end(), each.broken().begin(), each.broken().end());
      for (const auto& [cause, times] : each.further_sets()) outcome_.further_sets[cause] += times;
    }
    if (with_log_) note_pods();
    for (auto& [node, each] : recordings_) {
      std::ranges::move(each.texts(), std::back_inserter(outcome_.recordings));
    }
    return std::move(outcome_);
  }

 private:
  lab::SimulationHooks hooks() {
    lab::SimulationHooks hooks;
    hooks.observed = [this](const std::string& node, const agent::Observation& seen) {
      if (!is_settling_) ++outcome_.observations;  // what follows the faults is no part of them
      if (with_log_) note("sees " + std::to_string(seen.what.index()));
      if (with_recordings_) {
        recordings_[node].seen(*simulation_.reactor(node), simulation_.agent_options(node), seen);
      }
      of(node).observed(seen);
    };
    hooks.decided = [this](const std::string& node, const agent::Effect& effect) {
      if (with_log_) note("decides " + std::to_string(effect.what.index()));
      if (with_recordings_) recordings_[node].decided(effect);
      const auto* event = std::get_if<agent::EmitEvent>(&effect.what);
      if (event != nullptr && event->reason == "ResizeContended") ++outcome_.faults["Yielded"];
      of(node).decided(effect);
    };
    hooks.performing = [this](const std::string& node, const agent::Effect& effect) {
      of(node).performing(effect);
    };
    hooks.asked = [this](const std::string& node, const api::Request& request) {
      if (with_log_ && request.method != api::Method::Get) {
        note("asks " + std::string(api::to_string(request.method)) + " " + request.path + " " +
             request.body);
      }
      of(node).asked(request);
    };
    hooks.wrote_cgroup = [this](const std::string& node, const lab::CgroupWrite& write) {
      of(node).wrote(write);
    };
    hooks.fault = [this](const std::string& node, std::string_view fault) {
      meet(std::string(fault));
      if (fault.ends_with("/open")) of(node).open_failed();
      if (with_log_) note("meets " + std::string(fault));
    };
    hooks.world_changed = [this] { of(kNode).hears(foreign_.changed()); };
    hooks.restored = [this](const std::string& node, const agent::Restored& restored) {
      if (with_log_) note("starts " + restored.trouble);
      of(node).restored(restored);
    };
    return hooks;
  }

  void meet(const std::string& fault) {
    ++outcome_.faults[fault];
    ++outcome_.met;
  }

  void note(std::string what) {
    const auto at = std::chrono::floor<std::chrono::milliseconds>(simulation_.elapsed());
    outcome_.log.push_back(std::to_string(at.count()) + "ms " + std::move(what));
  }

  // The pods and the checkpoint at the end.
  void note_pods() {
    const auto list = simulation_.world().list({.kind = &pods()});
    for (const Json& pod : (*list)["items"]) note(lab::to_text(pod));
    for (const auto& [node, each] : invariants_) {
      note(simulation_.disk(node).content(lab::virtual_checkpoint_path()));
    }
  }

  template <class T>
  static void must(const lab::Answer<T>& answer) {
    if (!answer) throw std::logic_error("the history's own object: " + answer.error().message);
  }

  [[nodiscard]] Invariants& of(const std::string& node) { return invariants_.at(node); }
  [[nodiscard]] bool is_broken() const {
    return std::ranges::any_of(invariants_,
                               [](const auto& each) { return !each.second.broken().empty(); });
  }

  [[nodiscard]] static std::string name_of(std::size_t node) {
    return node == 0 ? kNode : kSecondNode;
  }
  [[nodiscard]] std::string node_of_pod(const std::string& pod) const {
    return name_of(node_of(pod, history_.nodes));
  }

  [[nodiscard]] agent::ReactorOptions options(const std::string& node) const {
    return {.node_name = node,
            .authority = history_.authority,
            .critical_preemption = history_.authority && history_.preempts,
            .jitter_seed = history_.seed};
  }
  void start_agent(const std::string& node) {
    if (simulation_.reactor(node) == nullptr) simulation_.start_agent(node, options(node));
  }
  void start_agents() {
    for (const auto& [node, each] : invariants_) start_agent(node);
  }

  // All that happens before the step, and the step.
  void run_through(const Step& step) {
    bool is_done = false;
    simulation_.at(step.at, [&] {
      is_done = true;
      apply(step);
    });
    while (!is_done && !is_broken()) simulation_.step();
  }

  [[nodiscard]] bool is_enough() const {
    return outcome_.observations >= kEnoughObservations && outcome_.met >= kEnoughFaults;
  }

  void end_faults() {
    is_settling_ = true;
    simulation_.disarm();
    start_agents();
  }

  // What their programs use falls: every resize can be carried out from now on.
  void free_memory() {
    for (const auto& [node, ignored] : invariants_) {
      for (const policy::Pod& pod : pods_on(simulation_, node)) {
        for (const policy::Container& each : pod.containers) {
          (void)simulation_.node(node).use_memory(pod.ns, pod.name, each.name, 0);
        }
      }
    }
  }

  void settle() {
    if (history_.frees_memory) free_memory();
    for (auto& [node, each] : invariants_) {
      patch_node(
          node,
          {{"status", {{"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}});
      outcome_.yielded = outcome_.yielded || each.has_yielded();
      if (each.has_yielded()) each.check_yielded();
    }
    // No writer undoes anything from now on: an agent that yielded continues by itself.
    come_to_rest();
    for (auto& [node, each] : invariants_) {
      if (!is_broken()) each.check_settled();
    }
  }

  void come_to_rest() {
    const auto until = simulation_.elapsed() + kSettlesWithin;
    while (!is_broken() && !simulation_.is_quiescent()) {
      const auto next = simulation_.next_due();
      if (!next || *next > until) break;
      simulation_.step();
    }
  }

  static lab::Target target(const std::string& pod,
                            lab::Subresource part = lab::Subresource::None) {
    return {.kind = &pods(), .ns = "default", .name = pod, .subresource = part};
  }
  // An action that users may not take is refused, and nothing happens.
  void patch(const lab::Target& target, const Json& patch) {
    (void)simulation_.world().patch(target, lab::PatchType::StrategicMerge, patch);
  }
  void patch_node(const std::string& node, const Json& with) {
    patch({.kind = &nodes(), .name = node, .subresource = lab::Subresource::Status}, with);
  }
  void patch_conditions(const std::string& pod, Json condition) {
    patch(target(pod, lab::Subresource::Status),
          {{"status", {{"conditions", Json::array({std::move(condition)})}}}});
  }

  void apply(const Step& step) {
    if (with_log_) note("-- " + to_text(step));
    switch (step.kind) {
      case Step::Kind::Resize:
        return patch(target(step.pod, lab::Subresource::Resize), resize_patch(step));
      case Step::Kind::Arrive:
        ++outcome_.faults["BoundBehindOurBack"];
        (void)simulation_.world().create(pods(), "default",
                                         pod_object(step, node_of_pod(step.pod)));
        return;
      case Step::Kind::ArriveOdd:
        return arrive_odd(step);
      case Step::Kind::OddPod:
      case Step::Kind::BigPod:
        return arrive_strange(step);
      case Step::Kind::ForeignDisables:
        return disable_as_another(step);
      case Step::Kind::Delete:
        (void)simulation_.world().remove(target(step.pod), {});
        return;
      case Step::Kind::Exit:
        (void)simulation_.node(node_of_pod(step.pod)).exit("default", step.pod);
        return;
      case Step::Kind::UseMemory:
        (void)simulation_.node(node_of_pod(step.pod))
            .use_memory("default", step.pod, memory_user(step), step.b << 20U);
        return;
      default:
        return history_.authority || is_beside_a_kubelet(step) ? apply_to_node(step) : void();
    }
  }

  [[nodiscard]] static bool is_beside_a_kubelet(const Step& step) {
    constexpr std::array kKinds = {Step::Kind::Api,           Step::Kind::KubeletDefers,
                                   Step::Kind::KubeletAdmits, Step::Kind::Policy,
                                   Step::Kind::Crash,         Step::Kind::AnnotatesPolicy,
                                   Step::Kind::TakeDisabled};
    return std::ranges::find(kKinds, step.kind) != kKinds.end();
  }

  void arrive_odd(const Step& step) {
    Json pod = pod_object({.pod = step.pod, .a = 100, .b = 64, .c = 0}, node_of_pod(step.pod));
    pod["metadata"]["annotations"][std::string(lab::kUnreadable)] = "true";
    if (!simulation_.world().create(pods(), "default", std::move(pod))) return;
    simulation_.at(simulation_.elapsed() + seconds(step.a), [this, name = step.pod] {
      (void)simulation_.world().remove(target(name), {.grace_seconds = 0});
    });
  }

  void arrive_strange(const Step& step) {
    const bool is_big = step.kind == Step::Kind::BigPod;
    Json pod = is_big ? big_pod(step.pod, node_of_pod(step.pod), step.a, step.c == 1)
                      : odd_pod(step.pod, node_of_pod(step.pod), step.a, step.c == 1, true);
    if (!simulation_.world().load(std::move(pod))) return;
    ++outcome_.faults[is_big ? "BigPod" : "OddPod"];
    if (step.b == 0) return;
    simulation_.at(simulation_.elapsed() + seconds(step.b), [this, name = step.pod] {
      (void)simulation_.world().remove(target(name), {.grace_seconds = 0});
    });
  }

  void disable_as_another(const Step& step) {
    if (!foreign_.set(step.pod)) return;
    ++outcome_.faults["ForeignCondition"];
    if (step.b == 0) return;
    simulation_.at(simulation_.elapsed() + seconds(step.b),
                   [this, name = step.pod] { foreign_.take(name); });
  }

  void take_from_several(std::int64_t times, seconds every) {
    std::vector<std::string> names;
    for (const Json* pod : simulation_.world().all_stored_objects(pods())) {
      const Json& conditions = lab::list_at(*pod, {"status", "conditions"});
      const bool waits = std::ranges::any_of(conditions, [](const Json& each) {
        return lab::text_at(each, {"type"}) == policy::kPodResizePending;
      });
      if (waits) names.push_back(lab::text_at(*pod, {"metadata", "name"}));
    }
    for (const std::string& name : names) {
      patch_conditions(name, {{"type", policy::kPodResizePending}, {"$patch", "delete"}});
    }
    if (names.size() > 1) ++outcome_.faults["ConditionsTaken"];
    if (times <= 1) return;
    simulation_.at(simulation_.elapsed() + every,
                   [this, times, every] { take_from_several(times - 1, every); });
  }

  // Another writer removes the condition that the companion has written.
  void take_disabled(const std::string& pod) {
    const Json* object = simulation_.world().peek(pods(), "default", pod);
    if (object == nullptr) return;
    const bool is_ours =
        std::ranges::any_of(lab::list_at(*object, {"status", "conditions"}), [](const Json& each) {
          return lab::text_at(each, {"reason"}) == "PreemptionDisabledByNodePolicy";
        });
    if (!is_ours) return;
    ++outcome_.faults["OurConditionTaken"];
    patch_conditions(pod, {{"type", policy::kPodResizePreemptionDisabled}, {"$patch", "delete"}});
  }

  [[nodiscard]] Json deferred_by_kubelet(const Step& step) {
    Json condition = {{"type", "PodResizePending"},
                      {"status", "True"},
                      {"reason", "Deferred"},
                      {"message", "no room"}};
    const Json* object = simulation_.world().peek(pods(), "default", step.pod);
    if (step.a == 1 && object != nullptr) {
      condition["observedGeneration"] =
          lab::integer_at(*object, {"metadata", "generation"}).value_or(1);
    }
    return condition;
  }

  void apply_to_node(const Step& step) {
    const std::string node = name_of(step.node);
    switch (step.kind) {
      case Step::Kind::Policy:
        return patch({.kind = &nodes(), .name = node},
                     {{"spec",
                       {{"podPreemptionPolicy",
                         step.a == 0 ? Json()
                                     : Json{{"disableResizePreemption",
                                             Json::array({"example.com/owner"})}}}}}});
      case Step::Kind::Allocatable:
        if (step.a < allocatable_[node].cpu || step.b < allocatable_[node].memory) {
          ++outcome_.faults["AllocatableShrinks"];
        }
        allocatable_[node] = {.cpu = step.a, .memory = step.b};
        return patch_node(node, {{"status", {{"allocatable", amounts_of(step.a, step.b)}}}});
      case Step::Kind::Ready:
        return patch_node(
            node,
            {{"status",
              {{"conditions",
                Json::array({{{"type", "Ready"}, {"status", step.a == 0 ? "False" : "True"}}})}}}});
      case Step::Kind::TakeAnnotation:
        return patch(
            {.kind = &nodes(), .name = node},
            {{"metadata", {{"annotations", {{"elbowroom.dev/critical-preemption", nullptr}}}}}});
      case Step::Kind::AnnotatesPolicy:
        return patch({.kind = &nodes(), .name = node},
                     {{"metadata",
                       {{"annotations",
                         {{"elbowroom.dev/disable-resize-preemption",
                           step.a == 0 ? Json() : Json("example.com/owner")}}}}}});
      case Step::Kind::TakeDisabled:
        return take_disabled(step.pod);
      case Step::Kind::TakeSeveral:
        return take_from_several(step.a, seconds(step.c));
      case Step::Kind::TakeCondition:
      case Step::Kind::KubeletAdmits:
        return patch_conditions(step.pod, {{"type", "PodResizePending"}, {"$patch", "delete"}});
      case Step::Kind::KubeletDefers:
        return patch_conditions(step.pod, deferred_by_kubelet(step));
      default:
        return apply_fault(step);
    }
  }

  void apply_fault(const Step& step) {
    switch (step.kind) {
      case Step::Kind::Api:
        return simulation_.arm(name_of(step.node), step.api);
      case Step::Kind::Runtime:
        return simulation_.arm(name_of(step.node), step.runtime);
      case Step::Kind::Disk:
        return simulation_.arm(name_of(step.node), step.disk);
      case Step::Kind::Crash:
        return simulation_.crash(name_of(step.node), step.crash, step.how, step.down);
      case Step::Kind::Jump:
        return simulation_.jump_wall(name_of(step.node), seconds(step.a));
      case Step::Kind::Torn:
      case Step::Kind::Older:
        return rewrite_checkpoint(step);
      default:
        return;
    }
  }

  void rewrite_checkpoint(const Step& step) {
    const std::string path = lab::virtual_checkpoint_path();
    const std::string node = name_of(step.node);
    lab::VirtualDisk& disk = simulation_.disk(node);
    if (simulation_.reactor(node) == nullptr) return;
    simulation_.stop_agent(node, step.how);
    const std::size_t size = disk.content(path).size();
    if (step.kind == Step::Kind::Torn && size > 0) {
      disk.truncate(path, size * static_cast<std::size_t>(step.a) / 100);
      meet("TornCheckpoint");
    }
    if (step.kind == Step::Kind::Older && disk.put_back(path, static_cast<std::size_t>(step.a))) {
      meet("OlderCheckpoint");
    }
    of(node).checkpoint_rewritten();
    simulation_.at(simulation_.elapsed() + step.down, [this, node] { start_agent(node); });
  }

  const History& history_;
  const bool with_log_;
  const bool with_recordings_;
  std::map<std::string, Recordings> recordings_{};
  Outcome outcome_{};
  bool is_settling_ = false;
  std::map<std::string, Allocatable> allocatable_{};  // by node, like all maps here
  lab::Simulation simulation_;
  std::map<std::string, Invariants> invariants_{};
  ForeignConditions foreign_{simulation_};
};

}  // namespace

Outcome play(const History& history, bool with_log) {
  return Player(history, {.log = with_log}).play();
}

Outcome play_recorded(const History& history) {
  return Player(history, {.recordings = true}).play();
}

}  // namespace elbowroom::test
