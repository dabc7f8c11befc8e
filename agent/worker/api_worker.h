// The agent's API thread: follows its Node and the pods of its node, performs the writes, and
// reports both. Everything but perform() belongs to the thread that calls run(), or in virtual time
// to whoever drives the transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/effect.h"
#include "agent/observation.h"
#include "api/transport/transport.h"
#include "api/watch/pod_reader.h"
#include "api/watch/watcher.h"
#include "api/write/client.h"
#include "api/write/event_recorder.h"
#include "api/write/policy_probe.h"
#include "control/api_round.h"

namespace elbowroom::agent {

// How well the API server is followed, at one moment: the Node and the pods of the node.
struct ApiRound : control::ApiRound {
  std::uint64_t rejected_nodes = 0;  // that could not be decoded
  std::uint64_t others_nodes = 0;    // objects that are another node's, and were dropped
  std::uint64_t others_pods = 0;
};

// The label of an agent's events, by which an admission policy finds them among all events:
// packaging/kustomize/agent/guard.yaml.
inline constexpr std::string_view kEventLabel = "elbowroom.dev/by-agent";

// What a status write changes, for the client.
[[nodiscard]] api::PodStatusChange change_of(const WriteStatus& status);

class ApiWorker {
 public:
  // Takes what was seen, on the transport's thread. It must not drop it: a change that is lost
  // would be seen again at the next list only.
  using Tell = std::function<void(decltype(Observation::what))>;

  struct Options {
    std::string node_name{};
    bool probes_policy = false;  // find out whether the server keeps podPreemptionPolicy
    bool keeps_labels = false;   // of pods; else they are dropped
    std::uint64_t seed = 0;
    std::string program = "elbowroomd";  // under whose name it writes
  };
  ApiWorker(std::unique_ptr<api::Transport> transport, Options options, Tell tell);
  ~ApiWorker();

  // What its transport should be made with.
  [[nodiscard]] static api::TransportOptions transport_options(
      const std::string& program = "elbowroomd");

  // Begins to follow the Node and the pods; once, by run() or by whoever drives the transport.
  void start();

  // Queues a write. May be called by any thread.
  void perform(Effect effect);

  // How it stands; on the transport's thread.
  [[nodiscard]] ApiRound round() const;

  // The API server has another version than before; on the transport's thread.
  void server_changed() {
    if (probe_) probe_->server_changed();
  }

  // Words about pods that are larger than what is kept of them; on the transport's thread.
  [[nodiscard]] std::vector<std::string> take_news() { return pod_reader_.take_news(); }

  // The thread's body; see control/transport_loop.h.
  void run(const std::stop_token& stop, const std::function<void()>& alive);

 private:
  void on_node(api::WatchReport<policy::Node>& news);
  void on_pod(api::WatchReport<policy::Pod>& news);
  [[nodiscard]] std::string no_node() const;
  void on_list(api::Replaced<policy::Node>& list);
  void on_list(api::Replaced<policy::Pod>& list);
  [[nodiscard]] bool is_gone(const Value& pod);
  void follows(std::string& trouble);
  void lost(std::string& trouble, std::string why);
  void write(const Effect& effect);
  void write(EffectId id, const WriteStatus& status);
  void write(EffectId id, const MarkVictim& mark);
  void write(EffectId id, const DeleteVictim& victim);
  void write(EffectId id, const EmitEvent& event);
  void write(EffectId id, const AnnotateNode& annotate);
  void write(EffectId id, const ReadBudgets& read);
  void write(EffectId id, const EnterVictim& enter);
  void enter(EffectId id, const EnterVictim& what, int attempts);
  [[nodiscard]] api::Client::Done reporter(EffectId id);

  const std::string node_name_;
  const Tell tell_;
  const std::unique_ptr<api::Transport> transport_;
  api::Client client_;
  api::EventRecorder events_;
  api::PodReader pod_reader_{api::Terms::Skipped};
  std::unique_ptr<api::Watcher<policy::Node>> nodes_;
  std::unique_ptr<api::Watcher<policy::Pod>> pods_;
  std::uint64_t rejected_nodes_ = 0;
  std::uint64_t others_nodes_ = 0;
  std::uint64_t others_pods_ = 0;
  std::optional<std::string> dropped_{};  // uid of the pod that was looked at last, if dropped
  std::optional<policy::Time> kubelet_wrote_{};  // of the pod that was decoded last
  std::optional<api::PolicyProbe> probe_{};      // where the answer is of use
  std::string node_trouble_{};                   // why the Node is not followed; "" while it is
  std::string pods_trouble_{};
};

}  // namespace elbowroom::agent
