// What elbowroom-scheduler has of its own on the line to the API server: how its collections are
// followed, and the writes that no other daemon makes. Pods are packed as they are decoded, item by
// item, so a list of fifty thousand is never in memory as anything larger.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/transport.h"
#include "api/watch/pod_reader.h"
#include "api/write/client.h"
#include "api/write/policy_probe.h"
#include "cluster/packed_pod.h"
#include "control/api_line.h"
#include "control/api_worker.h"
#include "control/followed_collections.h"
#include "scheduler/effect.h"
#include "scheduler/event_table.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

struct ApiWorkerOptions {
  std::string lease_namespace = "kube-system";
  std::string identity{};    // of this process; the instance in events
  bool leader_elect = true;  // else the Lease is not looked at
  bool places = false;       // pending pods: namespaces are followed, too
  std::uint64_t seed = 1;
};

class Wire {
 public:
  using Options = ApiWorkerOptions;
  // See control/api_line.h.
  struct Daemon {
    using Observation = scheduler::Observation;
    using Effect = scheduler::Effect;
    using Effects = scheduler::Effects;
    using Done = scheduler::Done;
    using Collection = scheduler::Collection;
    static constexpr std::string_view kName = "elbowroom-scheduler";
    static constexpr std::string_view kController = "elbowroom.dev/scheduler";
    static constexpr std::string_view kLease = "elbowroom-scheduler";
    static const EventRow* find_row(std::string_view reason) { return scheduler::find_row(reason); }
  };
  using Line = control::ApiLine<Daemon>;
  using Collections = control::FollowedCollections<Line, Collection>;

  // `places`: pending pods, thousands in a second.
  [[nodiscard]] static api::TransportOptions transport_options(bool places = false);

  // `line` must outlive it.
  Wire(Line& line, Options options);

  void follow(Collections& collections);

  void write(EffectId id, const ConfirmResize& confirm);
  void write(EffectId id, const BindPod& bind);
  void write(EffectId id, const WritePending& pending);
  void write(EffectId id, const BindVolume& bind);
  void write(EffectId id, const SelectNode& select);
  void write(EffectId id, const ReadBreaker& read);
  void write(EffectId id, const WriteBreaker& write);
  void write(EffectId id, const ConfirmGroup& confirm);
  void write(EffectId id, const WriteGroupStatus& status);
  void write(EffectId id, const ReadLedger& read);
  void write(EffectId id, const WriteLedger& write);

  // The API server is another one, or has another version.
  void server_changed() { probe_.server_changed(); }

  [[nodiscard]] std::vector<std::string> take_news() { return pod_reader_.take_news(); }
  [[nodiscard]] std::uint64_t reduced_pods() const { return pod_reader_.reduced(); }

 private:
  [[nodiscard]] control::Following<policy::Node> nodes();
  [[nodiscard]] control::Following<cluster::PackedPod> pods();
  [[nodiscard]] control::Following<policy::PodGroup> pod_groups();
  void follow_what_places(Collections& collections);
  void follow_volumes(Collections& collections);
  [[nodiscard]] Result<cluster::PackedPod> decode_packed(const Value& object);
  void confirm_policy(EffectId id, policy::Pod pod);
  [[nodiscard]] api::Client::Raw breaker_reporter(EffectId id);
  [[nodiscard]] api::Client::Raw budget_reporter(EffectId id);
  [[nodiscard]] api::Client::Raw outcome_reporter(EffectId id);

  Line& line_;
  const Options options_;
  api::PodReader pod_reader_{options_.places ? api::Terms::Read : api::Terms::Skipped};
  std::string groups_version_{};  // of scheduling.k8s.io; "": pod groups are not served
  api::PolicyProbe probe_;
};

using ApiWorker = control::ApiWorker<Wire>;
using control::ApiRound;

}  // namespace elbowroom::scheduler
