// One agent, put together: the reactor on its own thread, the API's and the runtime's beside it.
// These are all its threads, and they exchange values through the inbox only. Checkpoints are saved
// on the reactor's thread: what depends on one must not begin before.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "agent/checkpoint/checkpoint_store.h"
#include "agent/reactor.h"
#include "agent/recording/recording.h"
#include "agent/status.h"
#include "agent/worker/api_worker.h"
#include "agent/worker/kubelet_probe.h"
#include "agent/worker/runtime_worker.h"
#include "api/transport/access.h"
#include "base/disk.h"
#include "base/fd.h"
#include "base/result.h"
#include "control/api_thread.h"
#include "control/reactor_thread.h"
#include "daemon/http/address.h"

namespace elbowroom::agent {

struct AgentOptions {
  ReactorOptions reactor{};
  RuntimeOptions runtime{};  // authority only
  api::Access access{};
  std::string state_dir{};  // authority only
  std::string record{};     // the file to record to; "": none
  // Why it shall only observe, which is a dry run that says so; "": it acts.
  std::string safe_mode{};
  bool safe_mode_was_told = false;  // in an event, by an earlier start
  std::uint64_t record_limit = recording::kUsualRecordLimit;
  // Where a kubelet would answer; none: not asked. Authority only.
  std::optional<daemon::Address> kubelet_healthz{};
};

// How the agent's API worker is made.
[[nodiscard]] ApiWorker::Options worker_options(const ReactorOptions& of);

// A checkpoint that was written, or not.
struct SaveOutcome {
  std::chrono::nanoseconds took{0};
  std::size_t bytes = 0;          // of the file
  std::optional<Code> failure{};  // none: it is durable
};

// What the agent tells about itself while it runs; each may be called from any of its threads, and
// may be missing.
struct AgentReports {
  std::function<void(const Snapshot&)> changed{};      // first, and after every observation
  std::function<void(const Effect&)> performed{};      // an effect is about to be performed
  std::function<void(const Observation&)> observed{};  // before it is handled
  std::function<void(const std::string&)> trouble{};
  std::function<void(const std::string&)>
      noticed{};                              // a pod that is larger than what is kept of it
  std::function<void()> recording_stopped{};  // its trouble was told; at most once
  std::function<void(const SaveOutcome&)> saved{};
  // By the reactor's thread, about once a second.
  std::function<void(const NodeTotals&)> measured{};
  // How long one turn of a loop took without its waits.
  std::function<void(std::string_view loop, std::chrono::nanoseconds worked)> turned{};
  std::function<void(const ApiRound&)> followed{};
  std::function<void(const api::RequestOutcome&)> api_called{};
  std::function<void(const cri::CallOutcome&)> runtime_called{};
  std::function<void()> corrupt{};  // the checkpoint could not be read at the start
  // Called by each loop ("reactor", "api", "runtime") when it made progress.
  std::function<void(std::string_view loop)> alive{};
};

// See control/reactor_thread.h and control/api_thread.h.
struct Parts {
  using Observation = agent::Observation;
  using Effect = agent::Effect;
  using Effects = agent::Effects;
  using Reactor = agent::Reactor;
  using Recording = agent::Recording;
  using Worker = ApiWorker;
  using Status = Snapshot;
  using Options = AgentOptions;
  using Reports = AgentReports;
  static constexpr std::chrono::milliseconds kLookEvery{0};
  static constexpr std::chrono::milliseconds kMeasureSoonest{1000};

  static std::string explain(const Reactor& reactor, const std::string& pod, const Moment& now,
                             const AgentOptions& options);
  static page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                  const Moment& now, const AgentOptions& options);
  static Snapshot status_of(const Reactor& reactor, const Moment& now, const AgentOptions& options);
  static NodeTotals totals_of(const Reactor& reactor, const Moment& now,
                              const AgentOptions& options);
};

class Agent {
 public:
  // Opens what it needs, takes the state directory for itself and loads the checkpoint; nothing is
  // written yet. Unavailable where the same may work later, as when another agent has the
  // directory.
  [[nodiscard]] static Result<std::unique_ptr<Agent>> open(AgentOptions options,
                                                           AgentReports reports, const Disk& disk);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Runs until stop is requested; returns when all its threads have ended.
  void run(const std::stop_token& stop);

  // From now on this is how the API server is reached. May be called by any thread while run()
  // runs.
  void use(api::Access access) { api_.use(std::move(access)); }

  // Why the pod is the size it is, as JSON; "" for a pod that is not here; nullopt when the reactor
  // did not answer in time. May be called by any thread while run() runs.
  [[nodiscard]] std::optional<std::string> explain(const std::string& pod) {
    return reactor_.explain(pod);
  }

  // Its node and the pods there, for its page; nullopt as above.
  [[nodiscard]] std::optional<page::PagePart> page_part(page::PageAsked asked) {
    return reactor_.page_part(std::move(asked));
  }

  // How it is; nullopt as above.
  [[nodiscard]] std::optional<Snapshot> check_up() { return reactor_.check_up(); }

 private:
  Agent(AgentOptions options, AgentReports reports, const Disk& disk, Restored restored);
  void tell_of_safe_mode();
  void look_for_kubelet(const std::stop_token& stop);
  void perform(Effect effect);
  void save(EffectId id, const SaveCheckpoint& save);

  Fd state_lock_{};  // first, to be let go of last
  AgentOptions options_;
  AgentReports reports_;
  CheckpointStore store_;
  control::ReactorThread<Parts> reactor_;
  control::ApiThread<Parts> api_;
  std::unique_ptr<RuntimeWorker> runtime_;
  // Of the runtime's thread, both.
  std::optional<KubeletProbe> kubelet_probe_{};
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace elbowroom::agent
