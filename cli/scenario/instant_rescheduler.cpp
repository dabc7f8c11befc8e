#include "cli/scenario/instant_rescheduler.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_node.h"
#include "api/transport/http.h"
#include "api/write/budget_status.h"
#include "control/listed.h"
#include "lab/virtual/stored_pod.h"
#include "lab/world/world_result.h"
#include "rescheduler/wire.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using lab::Kind;

const Kind& pod_kind() { return *lab::find_kind("", "v1", "pods"); }
const Kind& node_kind() { return *lab::find_kind("", "v1", "nodes"); }
const Kind& budget_kind() {
  return *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
}

std::string key_in(const Json& object) {
  const std::string ns = lab::text_at(object, {"metadata", "namespace"});
  return (ns.empty() ? "" : ns + "/") + lab::text_at(object, {"metadata", "name"});
}

rescheduler::ReactorOptions leader() {
  rescheduler::ReactorOptions options;
  options.leader_elect = false;
  return options;
}

}  // namespace

InstantRescheduler::InstantRescheduler(lab::World& world, const lab::VirtualClock& clock,
                                       std::uint64_t& writes)
    : world_(world), clock_(clock), writes_(writes), started_(clock.now), reactor_(leader()) {}

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

// Worlds of scenarios are small: all that exists is told at each change.
void InstantRescheduler::look() {
  version_ = world_.version();
  list<policy::Node>(node_kind(),
                     [](const Json& object) { return api::decode_node(lab::to_value(object)); });
  list<policy::DisruptionBudget>(budget_kind(), [](const Json& object) {
    return api::decode_disruption_budget(lab::to_value(object));
  });
  list<cluster::PackedPod>(pod_kind(), [&](const Json& object) -> Result<cluster::PackedPod> {
    ASSIGN_OR_RETURN(const policy::Pod pod, lab::placed_pod(lab::stored_pod(world_, object)));
    return cluster::PackedPod::packed(pod);
  });
}

// ---- what is done ----

// What is answered at once is handled at once.
void InstantRescheduler::handle(Seen seen) {
  std::deque<Seen> inbox;
  inbox.push_back(std::move(seen));
  while (!inbox.empty()) {
    rescheduler::Observation next{moment(), std::move(inbox.front())};
    inbox.pop_front();
    for (const rescheduler::Effect& effect : reactor_.handle(std::move(next))) {
      const Result<void> outcome = std::visit(
          [this](const auto& what) -> Result<void> {
            if constexpr (requires { this->write(what); }) {
              return this->write(what);
            } else {
              return failure(Code::Internal, "there is no Lease here");
            }
          },
          effect.what);
      if (outcome) {
        inbox.emplace_back(rescheduler::Done{.effect = effect.id, .lease = std::nullopt});
      } else {
        inbox.emplace_back(rescheduler::Failed{.effect = effect.id, .error = outcome.error()});
      }
    }
  }
}

Result<void> InstantRescheduler::write(const rescheduler::WriteBudget& write) {
  ASSIGN_OR_RETURN(
      const api::Request request,
      api::budget_status_request({write.budget.ns, write.budget.name, write.budget.uid},
                                 write.version, write.status, write.ledger));
  return patch({.kind = &budget_kind(),
                .ns = write.budget.ns,
                .name = write.budget.name,
                .subresource = lab::Subresource::Status},
               request);
}

Result<void> InstantRescheduler::write(const rescheduler::ReportOdd& odd) {
  const auto [ns, name] = control::name_parts(odd.budget);
  const Json* budget = world_.peek(budget_kind(), ns, name);
  if (budget == nullptr) return failure(Code::NotFound, odd.budget + " is not there");
  ASSIGN_OR_RETURN(const auto request, api::odd_budget_request(budget->dump(), odd.now));
  if (!request) return {};
  return patch(
      {.kind = &budget_kind(), .ns = ns, .name = name, .subresource = lab::Subresource::Status},
      *request);
}

Result<void> InstantRescheduler::write(const rescheduler::DropAvoided& drop) {
  const Json* node = world_.peek(node_kind(), "", drop.node);
  if (node == nullptr) return failure(Code::NotFound, "node " + drop.node + " is not there");
  ASSIGN_OR_RETURN(const auto request, rescheduler::without_ended(node->dump(), drop.now));
  if (!request) return {};
  return patch({.kind = &node_kind(), .name = drop.node}, *request);
}

Result<void> InstantRescheduler::patch(const lab::Target& target, const api::Request& request) {
  const bool is_json_patch = request.content_type == "application/json-patch+json";
  const std::uint64_t before = world_.version();
  const auto answer =
      world_.patch(target, is_json_patch ? lab::PatchType::JsonPatch : lab::PatchType::Merge,
                   Json::parse(request.body));
  writes_ += world_.version() - before;
  return lab::outcome_of(answer);
}

}  // namespace elbowroom::cli
