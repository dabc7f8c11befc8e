// The scheduler's API thread: follows nodes, pods, budgets and the Lease, performs the writes, and
// reports both. Pods are packed as they are decoded, item by item, so a list of fifty thousand is
// never in memory as anything larger.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/transport/fenced_transport.h"
#include "api/transport/transport.h"
#include "api/watch/pod_reader.h"
#include "api/watch/watcher.h"
#include "api/write/client.h"
#include "api/write/event_recorder.h"
#include "api/write/lease.h"
#include "scheduler/effect.h"
#include "scheduler/elector.h"
#include "scheduler/observation.h"
#include "scheduler/server_clock.h"

namespace elbowroom::scheduler {

struct ApiWorkerOptions {
  std::string lease_namespace = "kube-system";
  std::string identity{};    // of this process; the instance in events
  bool leader_elect = true;  // else the Lease is not looked at
  bool places = false;       // pending pods: namespaces are followed, too
  std::uint64_t seed = 1;
};

// How well the API server is followed, at one moment.
struct ApiRound {
  api::Freshness nodes{};
  api::Freshness pods{};
  api::Freshness budgets{};
  api::Freshness own_budgets{};
  api::Freshness namespaces{};  // where they are followed
  std::uint64_t events_superseded = 0;
  std::uint64_t events_dropped = 0;
  std::uint64_t reduced_pods = 0;  // of which not everything counts one by one
  api::Clock::time_point now{};
};

class ApiWorker {
 public:
  // Takes what was seen, on the transport's thread; it must not drop it.
  using Tell = std::function<void(decltype(Observation::what))>;

  // `started`: when the reactor's clock was zero, on the transport's.
  ApiWorker(std::unique_ptr<api::Transport> transport, ApiWorkerOptions options,
            api::Clock::time_point started, Tell tell);
  ~ApiWorker();

  // `places`: pending pods, thousands in a second.
  [[nodiscard]] static api::TransportOptions transport_options(bool places = false);

  // Begins to follow; once, by run() or by whoever drives the transport.
  void start();

  // Queues writes, in their order. May be called by any thread.
  void perform(Effects effects);
  void perform(Effect effect);

  // How it stands; on the transport's thread.
  [[nodiscard]] ApiRound round() const;

  // Words about pods that are larger than what is kept of them; on the transport's thread.
  [[nodiscard]] std::vector<std::string> take_news() { return pod_reader_.take_news(); }

  // The thread's body: until stop is requested, and until the events that wait then are written
  // (EventRecorder::finish). `alive` is called at least every second.
  void run(const std::stop_token& stop, const std::function<void()>& alive);

 private:
  void on_node(api::WatchReport<policy::Node>& news);
  void on_pod(api::WatchReport<cluster::PackedPod>& news);
  [[nodiscard]] Result<cluster::PackedPod> decode_packed(const Value& object);
  template <class Listed, class Budget>
  void tell_listed(api::Replaced<Budget>& list, const std::string& kind);
  void on_budget(api::WatchReport<policy::PodDisruptionBudget>& news);
  void on_own_budget(api::WatchReport<policy::DisruptionBudget>& news);
  void on_namespace(api::WatchReport<policy::Namespace>& news);
  void on_lease(api::WatchReport<api::Lease>& news);
  void lease_unseen(std::string why);
  void look_at_date(const Result<api::Response>& response);
  void probe_policy_field(const std::string& node);

  void write(const Effect& effect);
  void write(EffectId id, const MarkVictim& mark);
  void write(EffectId id, const DeleteVictim& victim);
  void write(EffectId id, const ConfirmResize& confirm);
  void write(EffectId id, const BindPod& bind);
  void write(EffectId id, const WritePending& pending);
  void write(EffectId id, const EmitEvent& event);
  void write(EffectId id, const WriteLease& lease);
  void write(EffectId id, const GiveUpWrites& all);
  void write(EffectId id, const ReadBreaker& read);
  void write(EffectId id, const WriteBreaker& write);
  [[nodiscard]] api::Client::Raw breaker_reporter(EffectId id);
  [[nodiscard]] api::Client::Done reporter(EffectId id);

  const ApiWorkerOptions options_;
  const api::Clock::time_point started_;
  const Tell tell_;
  const std::unique_ptr<api::Transport> transport_;
  api::FencedTransport fenced_;
  api::Client client_;  // of writes, under the fence
  api::Client reader_;
  api::EventRecorder events_;
  std::unique_ptr<api::Watcher<policy::Node>> nodes_;
  api::PodReader pod_reader_{options_.places ? api::Terms::Read : api::Terms::Skipped};
  std::unique_ptr<api::Watcher<cluster::PackedPod>> pods_;
  std::unique_ptr<api::Watcher<policy::PodDisruptionBudget>> budgets_;
  std::unique_ptr<api::Watcher<policy::DisruptionBudget>> own_budgets_;
  bool has_own_budgets_ = true;  // the kind is served, as far as is known
  std::unique_ptr<api::Watcher<policy::Namespace>> namespaces_;
  std::unique_ptr<api::Watcher<api::Lease>> lease_;
  bool lease_is_seen_ = true;
  DateNews date_{};
  bool probed_ = false;
  api::Ticket probe_again_;
};

}  // namespace elbowroom::scheduler
