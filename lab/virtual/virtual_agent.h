// An agent in virtual time: the real reactor, the real API worker and the real checkpoint store on
// one thread, with a virtual transport, disk and node. Like the real process it can crash between
// any two effects, and the effects performed before remain. Without latency an instant line takes
// the place of the API worker and its transport.
#pragma once

#include <cassert>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/checkpoint/checkpoint_store.h"
#include "agent/reactor.h"
#include "agent/worker/api_worker.h"
#include "lab/apiserver/api_service.h"
#include "lab/node/runtime_fault.h"
#include "lab/virtual/crash_point.h"
#include "lab/virtual/instant_agent_line.h"
#include "lab/virtual/latency.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/virtual/virtual_disk.h"
#include "lab/virtual/virtual_node.h"
#include "lab/virtual/virtual_transport.h"

namespace elbowroom::lab {

// The folder of an agent's checkpoint on its virtual disk.
inline constexpr std::string_view kVirtualStateDir = "/var/lib/elbowroom";
[[nodiscard]] std::string virtual_checkpoint_path();

struct VirtualAgentReports {
  std::function<void(const agent::Observation&)> observed{};  // before the reactor handles it
  std::function<void(const agent::Effect&)> decided{};        // after that, each of its effects
  std::function<void(const agent::Effect&)> performing{};     // just before it is performed
  std::function<void(const RuntimeFault&)> met{};
  std::function<void(const agent::Restored&)> restored{};  // the state it starts with
};

class VirtualAgent {
 public:
  struct Place {
    World& world;
    ApiService& service;
    const VirtualClock& clock;
    const std::chrono::microseconds& wall_off;
    VirtualNode& node;
    VirtualDisk& disk;
    PodsByNode& pods;
    Latency latency = Latency::Network;
  };

  // Loads the checkpoint and starts to watch its Node and pods. Everything that `place` refers to
  // must outlive it.
  VirtualAgent(const Place& place, const agent::ReactorOptions& options,
               const VirtualAgentReports& reports, std::uint64_t seed);

  // When step() has something to do.
  [[nodiscard]] std::optional<VirtualClock::Steady::time_point> next_due() const;

  // Performs one due step: hands over an observation and performs its effects, or lets the API or
  // the runtime continue.
  void step();

  // Without latency, in place of step(): performs all that is due now, the runtime's state first,
  // then what changed in the world; the time only if there was nothing else. Returns true if there
  // was anything.
  bool settle();

  // True if it waits only for others, and for no deadline of its own.
  [[nodiscard]] bool is_quiet() const;

  void arm(const RuntimeFault& fault);
  void disarm();
  // Requires latency.
  [[nodiscard]] VirtualTransport& transport() {
    assert(transport_ != nullptr);
    return *transport_;
  }

  void crash_at(CrashPoint when) { crash_at_ = when; }
  [[nodiscard]] bool has_crashed() const { return crashed_; }
  // The process ends at once. Writes on their way to the API arrive or not, as given.
  void abandon(bool writes_arrive) {
    if (transport_ != nullptr) transport_->abandon(writes_arrive);
  }

  [[nodiscard]] const agent::Reactor& reactor() const { return reactor_; }

 private:
  using Steady = VirtualClock::Steady;
  using Seen = decltype(agent::Observation::what);
  struct Answer {
    Steady::time_point due{};
    Seen what{};
  };

  VirtualAgent(Place place, agent::ReactorOptions options, VirtualAgentReports reports,
               std::uint64_t seed, agent::Restored restored);
  [[nodiscard]] agent::Moment moment() const;
  void connect(std::uint64_t seed);
  void handle(Seen seen);
  void handle_through(Seen seen);
  void perform(agent::Effect& effect);
  void perform_at_once(const agent::Effect& effect);
  void perform_on_runtime(const agent::Effect& effect);
  [[nodiscard]] bool is_down() const { return place_.clock.now < down_until_; }
  [[nodiscard]] std::optional<Steady::time_point> poll_due() const;
  void poll();

  Place place_;
  agent::ReactorOptions options_;
  VirtualAgentReports reports_;
  agent::CheckpointStore store_;
  agent::Reactor reactor_;
  VirtualTransport* transport_ = nullptr;  // owned by api_; nullptr without latency
  std::unique_ptr<agent::ApiWorker> api_{};
  std::optional<InstantAgentLine> line_{};  // in place of api_
  bool has_settled_ = false;                // at least once
  Steady::time_point started_;
  std::deque<Seen> at_hand_{};  // reports of its own thread
  std::deque<Seen> inbox_{};
  std::size_t together_ = 0;  // observations since the last decision

  // The runtime's thread.
  std::deque<agent::Effect> steps_{};
  std::optional<Answer> answer_{};  // of the call under way
  std::deque<RuntimeFault> faults_{};
  Steady::time_point down_until_{};
  std::string runtime_trouble_{};
  std::optional<std::uint64_t> reported_version_{};
  Steady::time_point next_poll_;

  std::optional<CrashPoint> crash_at_{};
  bool crashed_ = false;
};

}  // namespace elbowroom::lab
