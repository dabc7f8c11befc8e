#include "cli/scenario/instant_rescheduler.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_move_owner.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "control/listed.h"
#include "lab/virtual/instant_transport.h"
#include "lab/virtual/stored_pod.h"
#include "rescheduler/collections.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using lab::Kind;

std::string key_in(const Json& object) {
  const std::string ns = lab::text_at(object, {"metadata", "namespace"});
  return (ns.empty() ? "" : ns + "/") + lab::text_at(object, {"metadata", "name"});
}

rescheduler::ReactorOptions leader() {
  rescheduler::ReactorOptions options;
  options.leader_elect = false;
  options.has_no_past = true;
  return options;
}

const Kind& kind_of(rescheduler::Collection of) {
  const control::CollectionRow& row = rescheduler::row_of(of);
  return *lab::find_kind(row.group, row.version, row.resource);
}

}  // namespace

InstantRescheduler::InstantRescheduler(Cluster cluster, std::uint64_t& writes, Told told)
    : world_(cluster.world),
      clock_(cluster.clock),
      writes_(writes),
      told_(std::move(told)),
      started_(cluster.clock.now),
      reactor_(leader()),
      line_(std::make_unique<lab::InstantTransport>(cluster.service, cluster.clock),
            {.instance = "scenario", .started = started_},
            [this](Seen seen) {
              is_answered_ = true;
              inbox_.push_back(std::move(seen));
            }),
      wire_(line_, {}) {}

rescheduler::Moment InstantRescheduler::moment() const {
  return {.since_start = std::chrono::floor<std::chrono::milliseconds>(clock_.now - started_),
          .wall = clock_.wall};
}

std::optional<lab::VirtualClock::Steady::time_point> InstantRescheduler::next_due() const {
  if (version_ != world_.version()) return clock_.now;
  const auto wake = reactor_.next_wake();
  if (!wake) return std::nullopt;
  return std::max(started_ + *wake, clock_.now);
}

bool InstantRescheduler::settle() {
  if (version_ != world_.version()) {
    look();
    return true;
  }
  const auto wake = reactor_.next_wake();
  if (!wake || moment().since_start < *wake) return false;
  handle(control::TimePassed{});
  return true;
}

// ---- what is seen ----

template <class T, class Decode>
void InstantRescheduler::list(const Kind& kind, Decode decode) {
  control::Listed<T> listed;
  std::vector<rescheduler::Unreadable> odd;
  for (const Json* object : world_.all_stored_objects(kind)) {
    auto one = decode(*object);
    if (one) {
      listed.objects.push_back(std::move(*one));
      continue;
    }
    listed.unreadable.push_back(key_in(*object));
    odd.push_back({.kind = std::string(kind.name),
                   .key = key_in(*object),
                   .why = one.error().message,
                   .uid = lab::text_at(*object, {"metadata", "uid"}),
                   .node = ""});
  }
  for (rescheduler::Unreadable& each : odd) handle(std::move(each));
  handle(std::move(listed));
}

template <rescheduler::Collection kOf>
void InstantRescheduler::list_owners() {
  using Owner = rescheduler::OwnerOf<kOf>;
  const Kind& kind = kind_of(kOf);
  list<Owner>(kind, [&](const Json& object) -> Result<Owner> {
    ASSIGN_OR_RETURN(auto owner, api::decode_move_owner(lab::to_value(object), kind.name));
    return Owner{std::move(owner)};
  });
}

template <rescheduler::Collection kOf>
void InstantRescheduler::list_config() {
  const control::CollectionRow& row = rescheduler::row_of(kOf);
  control::Listed<rescheduler::ConfigOf<kOf>> listed;
  const Json* map = world_.peek(kind_of(kOf), row.ns, row.object);
  if (map != nullptr) {
    if (auto text = rescheduler::config_text_of(lab::to_value(*map))) {
      listed.objects.push_back({*std::move(text)});
    }
  }
  handle(std::move(listed));
}

// Worlds of scenarios are small: all that exists is told at each change. Budgets come last: an
// entry of a pod that is gone would count as one of a pod that lives on.
void InstantRescheduler::look() {
  using enum rescheduler::Collection;
  version_ = world_.version();
  list<policy::Node>(kind_of(Nodes),
                     [](const Json& object) { return api::decode_node(lab::to_value(object)); });
  list<policy::Namespace>(kind_of(Namespaces), [](const Json& object) {
    return api::decode_namespace(lab::to_value(object));
  });
  list_owners<Deployments>();
  list_owners<ReplicaSets>();
  list_owners<StatefulSets>();
  list_config<Settings>();
  list_config<Rests>();
  list<policy::PodDisruptionBudget>(kind_of(PodBudgets), [](const Json& object) {
    return api::decode_pod_disruption_budget(lab::to_value(object));
  });
  list<cluster::PackedPod>(kind_of(Pods), [&](const Json& object) -> Result<cluster::PackedPod> {
    ASSIGN_OR_RETURN(const policy::Pod pod, lab::cluster_pod(lab::stored_pod(world_, object)));
    return cluster::PackedPod::packed(pod);
  });
  list<policy::DisruptionBudget>(kind_of(Budgets), [](const Json& object) {
    return api::decode_disruption_budget(lab::to_value(object));
  });
}

// ---- what is done ----

// What is answered at once is handled at once.
void InstantRescheduler::handle(Seen seen) {
  inbox_.push_back(std::move(seen));
  while (!inbox_.empty()) {
    rescheduler::Observation next{moment(), std::move(inbox_.front())};
    inbox_.pop_front();
    for (const rescheduler::Effect& effect : reactor_.handle(std::move(next))) perform(effect);
  }
}

void InstantRescheduler::perform(const rescheduler::Effect& effect) {
  if (const auto* event = std::get_if<control::EmitEvent>(&effect.what)) return told_(*event);
  const std::uint64_t before = world_.version();
  is_answered_ = false;
  line_.end_by(effect.not_after);
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { wire_.write(effect.id, what); }) {
          wire_.write(effect.id, what);
        } else if constexpr (requires { line_.write(effect.id, what); }) {
          line_.write(effect.id, what);
        } else {
          line_.failed(effect.id, Error{Code::Internal, "there is no Lease here", {}});
        }
      },
      effect.what);
  while (!is_answered_) line_.transport().run_once(api::Clock::duration{});
  const bool is_eviction = std::holds_alternative<rescheduler::EvictPod>(effect.what);
  if (!is_eviction) writes_ += world_.version() - before;
}

}  // namespace elbowroom::cli
