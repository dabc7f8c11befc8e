#include "scheduler/wire.h"

#include <chrono>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod_group.h"
#include "api/codec/decode_priority_class.h"
#include "api/codec/decode_selecting.h"
#include "api/codec/decode_volume.h"
#include "api/codec/json.h"
#include "api/transport/url.h"
#include "api/write/volume_patch.h"
#include "cluster/followed_objects.h"
#include "cluster/ledger_calls.h"
#include "policy/resize/resize_conditions.h"
#include "scheduler/collections.h"

namespace elbowroom::scheduler {
namespace {

// What the circuit breaker counts, in an annotation of a Lease that no replica holds.
constexpr std::string_view kBreaker = "elbowroom-scheduler-breaker";
constexpr std::string_view kCounted = "elbowroom.dev/circuit-breaker";

Result<StoredBreaker> decode_breaker(const Result<api::Response>& response) {
  if (!response) return std::unexpected(response.error());
  ASSIGN_OR_RETURN(const Value object, parse_json(response->body));
  ASSIGN_OR_RETURN(api::Metadata metadata, api::decode_metadata(api::Field(object)));
  StoredBreaker stored{.uid = std::move(metadata.uid),
                       .resource_version = std::move(metadata.resource_version)};
  if (const auto text = metadata.annotations.find(kCounted); text != metadata.annotations.end()) {
    stored.text = text->second;
  }
  return stored;
}

std::string breaker_body(const std::string& ns, const StoredBreaker& stored) {
  Value metadata =
      api::json_map({{"namespace", api::json_text(ns)},
                     {"name", api::json_text(std::string(kBreaker))},
                     {"annotations", api::json_map({{kCounted, api::json_text(stored.text)}})}});
  if (!stored.resource_version.empty()) {
    api::set_member(metadata, "resourceVersion", api::json_text(stored.resource_version));
    api::set_member(metadata, "uid", api::json_text(stored.uid));
  }
  return api::to_json(api::json_map({{"apiVersion", api::json_text("coordination.k8s.io/v1")},
                                     {"kind", api::json_text("Lease")},
                                     {"metadata", std::move(metadata)},
                                     {"spec", api::json_map({})}}));
}

// Of one pod: far more than any user writes by hand.
constexpr std::size_t kMostBytesOfPod = std::size_t{64} << 10;

// Room for 50,000 groups with two conditions each.
constexpr std::size_t kMostGroupBytes = std::size_t{64} << 20;
constexpr std::size_t kUsualGroupBytes = 2048;

Result<policy::PodGroup> small_group(policy::PodGroup group) {
  std::erase_if(group.conditions, [](const policy::Condition& each) {
    return each.type != policy::kPodGroupInitiallyScheduled &&
           each.type != policy::kPodsNotMatchingPriority && each.type != policy::kDisruptionTarget;
  });
  if (api::weight_of(group) <= kUsualGroupBytes) return group;
  return failure(Code::Exhausted, "pod group " + policy::key_of(group) +
                                      ": it is large, and there are too many groups to keep it");
}

// Room for 10,000 of them.
constexpr std::size_t kMostClassBytes = std::size_t{4} << 20;

// Room for 100,000 of them; large ones are left out first where there are very many.
constexpr std::size_t kMostVolumeBytes = std::size_t{96} << 20;
constexpr std::size_t kUsualVolumeBytes = 2048;

template <class T>
control::Following<T> followed(const control::CollectionRow& row,
                               Result<T> (*decode)(const Value&, api::Source)) {
  return {.row = row,
          .target = control::target_of(row),
          .decode = [decode](const Value& object) { return decode(object, api::Source::Server); },
          .bounds = {.weigh = [](const T& of) { return api::weight_of(of); },
                     .make_small = [](const T& of) -> Result<T> {
                       return failure(Code::Exhausted,
                                      of.name + ": it is large, and there are too many to keep it");
                     },
                     .usual_bytes = kUsualVolumeBytes,
                     .most_bytes = kMostVolumeBytes}};
}

// Room for 100,000 objects with a few labels. One with a large selector selects no pods where there
// are very many: the worst that comes of it is a pod that is not spread.
constexpr std::size_t kMostSelectingBytes = std::size_t{64} << 20;
constexpr std::size_t kUsualSelectingBytes = 2048;

template <policy::SelectingKind kOf>
control::Following<SelectingOf<kOf>> selecting() {
  const control::CollectionRow& row = row_of(collection_of(kOf));
  return {.row = row,
          .target = control::target_of(row),
          .decode = [](const Value& object) -> Result<SelectingOf<kOf>> {
            ASSIGN_OR_RETURN(policy::Selecting made, api::decode_selecting(object, kOf));
            return SelectingOf<kOf>{std::move(made)};
          },
          .bounds = {.weigh = [](const SelectingOf<kOf>& each) { return api::weight_of(each.is); },
                     .make_small = [](SelectingOf<kOf> each) -> Result<SelectingOf<kOf>> {
                       each.is.selector = {};
                       return each;
                     },
                     .usual_bytes = kUsualSelectingBytes,
                     .most_bytes = kMostSelectingBytes}};
}

std::unexpected<Error> not_served() { return failure(Code::NotFound, "pod groups are not served"); }

}  // namespace

api::TransportOptions Wire::transport_options(bool places) {
  api::TransportOptions of;
  of.user_agent = std::string(Daemon::kName) + "/" ELBOWROOM_VERSION;
  of.direct = true;
  // Two writes and a read for each victim; those of a thousand full nodes are to be through in
  // seconds.
  of.calls = {std::chrono::milliseconds(1), 1000};
  // No limit of ours: the number of requests in flight is bounded.
  if (places) of.calls.per_request = {};
  // A thousand victims are reported within half a minute; client-go's limit for a component's
  // events.
  of.events = {std::chrono::milliseconds(20), 100};
  return of;
}

Wire::Wire(Line& line, Options options)
    : line_(line),
      options_(std::move(options)),
      probe_(line.transport(), line.reads(),
             [this](bool keeps) { line_.tell(PolicyFieldProbed{keeps}); }) {}

void Wire::follow(Collections& collections) {
  collections.add(Collection::Nodes, nodes());
  collections.add(Collection::Pods, pods());
  collections.add(Collection::Budgets,
                  cluster::followed_budgets<policy::PodDisruptionBudget>(
                      row_of(Collection::Budgets), api::decode_pod_disruption_budget));
  collections.add(Collection::OwnBudgets,
                  cluster::followed_budgets<policy::DisruptionBudget>(
                      row_of(Collection::OwnBudgets), api::decode_disruption_budget));
  if (options_.places)
    collections.add(Collection::Namespaces,
                    cluster::followed_namespaces(row_of(Collection::Namespaces)));
  collections.add(Collection::PodGroups, pod_groups());
  if (options_.places) follow_what_places(collections);
  const control::CollectionRow& classes = row_of(Collection::PriorityClasses);
  collections.add(
      Collection::PriorityClasses,
      control::Following<api::PriorityClass>{
          .row = classes,
          .target = control::target_of(classes),
          .decode = api::decode_priority_class,
          .bounds = {
              .weigh = [](const api::PriorityClass& of) { return sizeof of + of.name.size(); },
              .most_bytes = kMostClassBytes}});
}

void Wire::follow_what_places(Collections& collections) {
  follow_volumes(collections);
  using policy::SelectingKind;
  collections.add(Collection::Services, selecting<SelectingKind::Service>());
  collections.add(Collection::ReplicationControllers,
                  selecting<SelectingKind::ReplicationController>());
  collections.add(Collection::ReplicaSets, selecting<SelectingKind::ReplicaSet>());
  collections.add(Collection::StatefulSets, selecting<SelectingKind::StatefulSet>());
}

void Wire::follow_volumes(Collections& collections) {
  const auto add = [&]<class T>(Collection of, Result<T> (*decode)(const Value&, api::Source)) {
    collections.add(of, followed<T>(row_of(of), decode));
  };
  add(Collection::Claims, api::decode_volume_claim);
  add(Collection::Volumes, api::decode_volume);
  add(Collection::StorageClasses, api::decode_storage_class);
  add(Collection::CsiNodes, api::decode_csi_node);
  add(Collection::CsiDrivers, api::decode_csi_driver);
  add(Collection::StorageCapacities, api::decode_storage_capacity);
}

// Conditions of other writers are dropped first.
control::Following<policy::PodGroup> Wire::pod_groups() {
  const control::CollectionRow& row = row_of(Collection::PodGroups);
  return {.row = row,
          .target = control::target_of(row),
          .decode = api::decode_pod_group,
          .bounds = {.weigh = [](const policy::PodGroup& group) { return api::weight_of(group); },
                     .make_small = small_group,
                     .usual_bytes = kUsualGroupBytes,
                     .most_bytes = kMostGroupBytes},
          .followed = [this](std::string_view version) {
            groups_version_ = version;
            line_.name_groups_by(version);
          }};
}

control::Following<policy::Node> Wire::nodes() {
  auto nodes = cluster::followed_nodes(row_of(Collection::Nodes),
                                       options_.places ? api::Part::Whole : api::Part::Sizes);
  nodes.noticed = [this](const policy::Node& node) { probe_.seen(node.name); };
  return nodes;
}

control::Following<cluster::PackedPod> Wire::pods() {
  const control::CollectionRow& row = row_of(Collection::Pods);
  api::WatchTarget target = control::target_of(row);
  // Where pods are placed, those that failed tell which nodes to avoid.
  target.field_selector =
      options_.places ? "status.phase!=Succeeded" : "status.phase!=Succeeded,status.phase!=Failed";
  target.part = options_.places ? api::Part::Whole : api::Part::Sizes;
  target.overflow = &pod_reader_;
  return {
      .row = row,
      .target = std::move(target),
      .decode = [this](const Value& object) { return decode_packed(object); },
      .bounds = {
          .weigh = [](const cluster::PackedPod& pod) { return cluster::kBesidePod + pod.bytes(); },
          .make_small = [this](const cluster::PackedPod& pod) -> Result<cluster::PackedPod> {
            policy::Pod small = pod_reader_.made_small(pod.unpacked());
            auto packed = cluster::PackedPod::packed(small);
            if (!options_.places || packed.bytes() <= cluster::kUsualPodBytes) return packed;
            return cluster::PackedPod::packed(pod_reader_.placed_nowhere(std::move(small)));
          },
          .usual_bytes = cluster::kUsualPodBytes,
          .most_bytes = cluster::kMostPodBytes}};
}

// A pod whose terms of placement are a book is placed by none of them: it waits, or stays as it is.
// In mode resize no terms are kept.
Result<cluster::PackedPod> Wire::decode_packed(const Value& object) {
  ASSIGN_OR_RETURN(policy::Pod pod, pod_reader_.decode(object));
  cluster::PackedPod packed = cluster::PackedPod::packed(pod);
  if (packed.bytes() <= kMostBytesOfPod || !options_.places) return packed;
  return cluster::PackedPod::packed(pod_reader_.placed_nowhere(std::move(pod)));
}

// ---- what is written ----

// Not from a cache: without a resourceVersion the server answers what counts now.
void Wire::write(EffectId id, const ConfirmResize& confirm) {
  line_.writes().get_pod(ref_of(confirm.preemptor), [this, id](Result<Value> object) {
    auto pod = object ? decode_packed(*object) : std::unexpected(std::move(object).error());
    if (!pod) return line_.failed(id, std::move(pod).error());
    policy::Pod preemptor = pod->unpacked();
    if (policy::has_true(preemptor.conditions, policy::kPodResizePreemptionDisabled) &&
        !policy::preemption_disabled_by_others(preemptor)) {
      return confirm_policy(id, std::move(preemptor));
    }
    line_.tell(Done{.effect = id, .lease = std::nullopt, .pod = *std::move(pod)});
  });
}

// Its condition by the Node's policy counts while the Node has a policy. The watch of the Node may
// be behind that of the pod, so the Node is read, too.
void Wire::confirm_policy(EffectId id, policy::Pod pod) {
  const std::string name = pod.node;
  line_.writes().get_node(name, [this, id, pod = std::move(pod)](Result<Value> object) mutable {
    const auto node = object ? api::decode_node(*object) : std::unexpected(object.error());
    if (!node) return line_.failed(id, node.error());
    policy::drop_outlived_policy(pod, *node);
    line_.tell(Done{.effect = id, .lease = std::nullopt, .pod = cluster::PackedPod::packed(pod)});
  });
}

void Wire::write(EffectId id, const BindPod& bind) {
  line_.writes().bind_pod(ref_of(bind.pod), bind.node, line_.reporter(id));
}

// The watch shows what was written.
api::Client::Raw Wire::outcome_reporter(EffectId id) {
  return [this, id](Result<api::Response> response) {
    line_.look_at_date(response);
    if (response) {
      line_.tell(Done{.effect = id});
    } else {
      line_.failed(id, std::move(response).error());
    }
  };
}

void Wire::write(EffectId id, const BindVolume& bind) {
  const std::string patch =
      api::claim_ref_patch(bind.uid, bind.resource_version, bind.claim, !bind.was_reserved);
  line_.writes().request(api::Method::Patch,
                         "/api/v1/persistentvolumes/" + api::percent_encoded(bind.volume), {},
                         std::string(api::kMergePatch), patch, outcome_reporter(id));
}

void Wire::write(EffectId id, const SelectNode& select) {
  const std::string patch =
      api::selected_node_patch(select.uid, select.resource_version, select.node);
  line_.writes().request(api::Method::Patch,
                         "/api/v1/namespaces/" + api::percent_encoded(select.ns) +
                             "/persistentvolumeclaims/" + api::percent_encoded(select.name),
                         {}, std::string(api::kMergePatch), patch, outcome_reporter(id));
}

void Wire::write(EffectId id, const WritePending& pending) {
  api::PodStatusChange change{.nominated_node = pending.nominated};
  if (pending.scheduled) change.set.push_back(*pending.scheduled);
  line_.writes().patch_pod_status(ref_of(pending.pod), std::move(change), line_.reporter(id));
}

api::Client::Raw Wire::breaker_reporter(EffectId id) {
  return [this, id](Result<api::Response> response) {
    line_.look_at_date(response);
    auto stored = decode_breaker(response);
    if (stored) {
      line_.tell(Done{.effect = id, .lease = {}, .pod = {}, .breaker = *std::move(stored)});
    } else {
      line_.failed(id, std::move(stored).error());
    }
  };
}

void Wire::write(EffectId id, const ReadBreaker& /*read*/) {
  line_.writes().request(api::Method::Get,
                         control::leases_of(options_.lease_namespace) + "/" + std::string(kBreaker),
                         {}, "", "", breaker_reporter(id));
}

void Wire::write(EffectId id, const WriteBreaker& write) {
  const bool is_new = write.stored.resource_version.empty();
  const std::string collection = control::leases_of(options_.lease_namespace);
  line_.writes().request(
      is_new ? api::Method::Post : api::Method::Put,
      is_new ? collection : collection + "/" + std::string(kBreaker), {}, std::string(api::kJson),
      breaker_body(options_.lease_namespace, write.stored), breaker_reporter(id));
}

// Not from a cache, as above.
void Wire::write(EffectId id, const ConfirmGroup& confirm) {
  if (groups_version_.empty()) return line_.failed(id, not_served().error());
  line_.writes().get_pod_group(
      ref_of(confirm.group), groups_version_, [this, id](Result<Value> object) {
        auto group =
            object ? api::decode_pod_group(*object) : std::unexpected(std::move(object).error());
        if (group) {
          line_.tell(Done{
              .effect = id, .lease = {}, .pod = {}, .breaker = {}, .group = *std::move(group)});
        } else {
          line_.failed(id, std::move(group).error());
        }
      });
}

void Wire::write(EffectId id, const WriteGroupStatus& status) {
  if (groups_version_.empty()) return line_.failed(id, not_served().error());
  line_.writes().patch_group_status(ref_of(status.group), groups_version_, status.set,
                                    line_.reporter(id));
}

api::Client::Raw Wire::budget_reporter(EffectId id) {
  return [this, id](Result<api::Response> response) {
    line_.look_at_date(response);
    auto budget = cluster::budget_in(response);
    if (budget) {
      line_.tell(Done{.effect = id,
                      .lease = {},
                      .pod = {},
                      .breaker = {},
                      .group = {},
                      .budget = *std::move(budget)});
    } else {
      line_.failed(id, std::move(budget).error());
    }
  };
}

void Wire::write(EffectId id, const ReadLedger& read) {
  cluster::send(line_.writes(), read, budget_reporter(id));
}

void Wire::write(EffectId id, const WriteLedger& write) {
  cluster::send(line_.writes(), write, budget_reporter(id));
}

}  // namespace elbowroom::scheduler
