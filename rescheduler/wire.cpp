#include "rescheduler/wire.h"

#include <chrono>
#include <optional>
#include <utility>

#include "api/codec/avoid_entries.h"
#include "api/codec/decode_budget.h"
#include "api/write/budget_status.h"
#include "api/write/debit.h"
#include "api/write/node_annotation.h"
#include "base/document.h"
#include "cluster/followed_objects.h"
#include "control/listed.h"
#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {

Result<std::optional<api::Request>> without_ended(const std::string& node_object,
                                                  policy::Time now) {
  ASSIGN_OR_RETURN(const Value object, parse_json(node_object));
  ASSIGN_OR_RETURN(const api::NodeAnnotation read,
                   api::annotation_in(object, api::kPreferAvoidPods));
  ASSIGN_OR_RETURN(api::AvoidEntries entries, api::AvoidEntries::parse(read.value));
  if (entries.drop_expired(now) == 0) return std::nullopt;
  return api::annotation_request(read, entries.text());
}

api::TransportOptions Wire::transport_options() {
  api::TransportOptions of;
  of.user_agent = std::string(Daemon::kName) + "/" ELBOWROOM_VERSION;
  // Ten thousand budgets after a start: within two minutes, and others are served beside it.
  of.calls = {std::chrono::milliseconds(10), 100};
  return of;
}

void Wire::follow(Collections& collections) {
  collections.add(Collection::Nodes, cluster::followed_nodes(row_of(Collection::Nodes)));
  collections.add(Collection::Pods, pods());
  collections.add(Collection::Budgets,
                  cluster::followed_budgets<policy::DisruptionBudget>(
                      row_of(Collection::Budgets), api::decode_disruption_budget));
}

control::Following<cluster::PackedPod> Wire::pods() {
  const control::CollectionRow& row = row_of(Collection::Pods);
  api::WatchTarget target = control::target_of(row);
  target.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  target.part = api::Part::Sizes;
  target.overflow = &pod_reader_;
  return {
      .row = row,
      .target = std::move(target),
      .decode = [this](const Value& object) { return decode_packed(object); },
      .bounds = {
          .weigh = [](const cluster::PackedPod& pod) { return cluster::kBesidePod + pod.bytes(); },
          .make_small = [this](const cluster::PackedPod& pod) -> Result<cluster::PackedPod> {
            return cluster::PackedPod::packed(pod_reader_.made_small(pod.unpacked()));
          },
          .usual_bytes = cluster::kUsualPodBytes,
          .most_bytes = cluster::kMostPodBytes}};
}

Result<cluster::PackedPod> Wire::decode_packed(const Value& object) {
  ASSIGN_OR_RETURN(const policy::Pod pod, pod_reader_.decode(object));
  return cluster::PackedPod::packed(pod);
}

void Wire::write(EffectId id, const WriteBudget& write) {
  auto request =
      api::budget_status_request(ref_of(write.budget), write.version, write.status, write.ledger);
  if (!request) return line_.failed(id, std::move(request).error());
  send(id, *std::move(request));
}

// Not from the watch: what it shows of an odd one is not kept.
void Wire::write(EffectId id, const ReportOdd& odd) {
  const auto [ns, name] = control::name_parts(odd.budget);
  line_.writes().request(
      api::Method::Get, api::budget_path({.ns = ns, .name = name, .uid = ""}), {}, "", "",
      [this, id, odd](Result<api::Response> budget) { report(id, odd, std::move(budget)); });
}

void Wire::report(EffectId id, const ReportOdd& odd, Result<api::Response> budget) {
  line_.look_at_date(budget);
  if (!budget) return line_.failed(id, std::move(budget).error());
  auto request = api::odd_budget_request(budget->body, odd.now);
  if (!request) return line_.failed(id, request.error().with("disruption budget " + odd.budget));
  if (!request->has_value()) return line_.tell(Done{.effect = id, .lease = std::nullopt});
  send(id, *std::move(*request));
}

// Not from the watch, which keeps no annotations.
void Wire::write(EffectId id, const DropAvoided& drop) {
  line_.writes().request(
      api::Method::Get, api::node_object_path(drop.node), {}, "", "",
      [this, id, drop](Result<api::Response> node) { drop_from(id, drop, std::move(node)); });
}

void Wire::drop_from(EffectId id, const DropAvoided& drop, Result<api::Response> node) {
  if (!node) return line_.failed(id, std::move(node).error());
  auto edited = without_ended(node->body, drop.now);
  if (!edited) return line_.failed(id, edited.error().with("node " + drop.node));
  if (!edited->has_value()) return line_.tell(Done{.effect = id, .lease = std::nullopt});
  send(id, *std::move(*edited));
}

void Wire::send(EffectId id, api::Request request) {
  line_.writes().request(request.method, std::move(request.path), {},
                         std::string(request.content_type), std::move(request.body),
                         [this, id](Result<api::Response> response) {
                           line_.look_at_date(response);
                           if (!response) return line_.failed(id, std::move(response).error());
                           line_.tell(Done{.effect = id, .lease = std::nullopt});
                         });
}

}  // namespace elbowroom::rescheduler
