// A node's whole world as values around one real Reactor: API objects, runtime, disk and clock. It
// can kill its agent between any two effects. At every step it checks that every effect is durable
// first and that held charges never rise above allocatable.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/reactor.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::test {

class AgentWorld {
 public:
  AgentWorld(policy::Node node, agent::ReactorOptions options);

  // A pod that runs as its status says (allocated and actual as requested), in a cgroup of its own
  // where the agent manages those.
  void add(policy::Pod pod);

  // Changes that users make in the API. A container with limits has limits of twice its requests.
  void resize(const std::string& name, std::int64_t cpu_m, std::int64_t memory);
  void disable_resize_preemption(std::vector<std::string> owners);

  // Starts an agent on what is on disk, with fresh lists.
  void start();

  // Performs one effect or delivers one observation; false when nothing is queued.
  bool step();

  // Steps until nothing changes, letting victims end and time pass to every deadline, at most
  // `steps`.
  void settle(std::size_t steps = 2000);

  // Kills the agent when it is about to perform effect number `at` (from 0), before or after the
  // effect; a new agent starts at once.
  void kill_at(std::size_t at, bool after_effect) {
    kill_at_ = at;
    kill_after_effect_ = after_effect;
  }

  [[nodiscard]] std::size_t effects_performed() const { return performed_; }
  [[nodiscard]] const policy::Pod& pod(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  [[nodiscard]] cri::RuntimeResources size_of(const std::string& name) const;
  // The pod's own cgroup; nothing where the agent does not manage it.
  [[nodiscard]] std::optional<cri::RuntimeResources> group_of(const std::string& name) const;
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
  [[nodiscard]] std::size_t saves() const { return saves_; }
  [[nodiscard]] const std::vector<std::string>& removed() const { return removed_; }
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

  // Status writes are accepted and never answered.
  void hold_writes() { hold_writes_ = true; }

  // Faults: the next runtime call or disk write fails.
  void fail_next_save() { fail_save_ = true; }
  void fail_next_update(bool applied) {
    fail_update_ = true;
    apply_failed_update_ = applied;
  }

 private:
  void observe(auto what);
  void perform(const agent::Effect& effect);
  void perform_one(agent::EffectId id, const agent::SaveCheckpoint& save);
  void perform_one(agent::EffectId id, const agent::Actuate& actuate);
  void step_done(agent::EffectId id, const agent::Actuate& of, const policy::SetPod& set);
  void step_done(agent::EffectId id, const agent::Actuate& of,
                 const policy::UpdateContainer& update);
  void step_done(agent::EffectId id, const agent::Actuate& of,
                 const policy::RestartContainer& restart);
  void perform_one(agent::EffectId id, const agent::WriteStatus& write);
  void perform_one(agent::EffectId id, const agent::MarkVictim& mark);
  void perform_one(agent::EffectId id, const agent::DeleteVictim& victim);
  void perform_one(agent::EffectId id, const agent::EmitEvent& event);
  void perform_one(agent::EffectId id, const agent::AnnotateNode& annotate);
  void perform_one(agent::EffectId id, const agent::ReadBudgets& read);
  void perform_one(agent::EffectId id, const agent::EnterVictim& enter);
  void check_durable(const std::string& uid, const std::string& container,
                     const cri::RuntimeResources& to);
  void check_within(const agent::Actuate& of);
  void check_held();
  std::unique_ptr<agent::Reactor> twin_from_text();
  bool end_victims();
  policy::Pod& by_name(const std::string& name);

  policy::Node node_;
  agent::ReactorOptions options_;
  std::map<std::string, policy::Pod> api_{};                        // by uid
  std::map<std::string, agent::PodReport, std::less<>> runtime_{};  // by uid
  std::string disk_{};
  agent::Checkpoint durable_{};

  std::unique_ptr<agent::Reactor> reactor_{};
  agent::Moment now_{};
  std::deque<agent::Observation> seen_{};
  std::size_t observed_ = 0;
  std::deque<agent::Effect> effects_{};

  std::size_t performed_ = 0;
  std::size_t saves_ = 0;
  std::optional<std::size_t> kill_at_{};
  bool kill_after_effect_ = false;
  bool hold_writes_ = false;
  bool fail_save_ = false;
  bool fail_update_ = false;
  bool apply_failed_update_ = false;
  policy::Resources held_before_{};

  std::vector<std::string> calls_{};    // runtime calls, in words
  std::vector<std::string> removed_{};  // pod names
  std::vector<std::string> events_{};   // "REASON POD"
  std::vector<std::string> broken_{};   // invariants that did not hold
};

}  // namespace elbowroom::test
