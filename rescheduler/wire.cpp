#include "rescheduler/wire.h"

#include <chrono>
#include <optional>
#include <utility>

#include "api/codec/avoid_entries.h"
#include "api/codec/decode_budget.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_move_owner.h"
#include "api/codec/decode_selecting.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/status_error.h"
#include "api/write/budget_status.h"
#include "api/write/debit.h"
#include "api/write/eviction.h"
#include "api/write/node_annotation.h"
#include "api/write/pod_status.h"
#include "base/document.h"
#include "cluster/followed_objects.h"
#include "cluster/ledger_calls.h"
#include "control/listed.h"
#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {
namespace {

// Room for 100,000 owners with long names and selectors.
constexpr std::size_t kMostOwnerBytes = std::size_t{128} << 20;
constexpr std::size_t kBesideOwner = 400;
// Of taking an entry back, where other programs write the same annotation.
constexpr int kMostTries = 5;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

// The server answers 422 both where the annotation has changed and where it does not take the new
// value; the next read tells.
Error as_conflict(Error error) {
  if (error.code == Code::Invalid) error.code = Code::Conflict;
  return error;
}

template <Collection kOf>
control::Following<OwnerOf<kOf>> owners() {
  const control::CollectionRow& row = row_of(kOf);
  return {.row = row,
          .target = control::target_of(row),
          .decode = [](const Value& object) -> Result<OwnerOf<kOf>> {
            ASSIGN_OR_RETURN(policy::MoveOwner owner,
                             api::decode_move_owner(object, row_of(kOf).kind));
            return OwnerOf<kOf>{std::move(owner)};
          },
          .bounds = {.weigh =
                         [](const OwnerOf<kOf>& each) {
                           return kBesideOwner + each.is.name.size() + each.is.rolls_out.size() +
                                  api::weight_of(each.is.selector);
                         },
                     .most_bytes = kMostOwnerBytes}};
}

template <Collection kOf>
control::Following<ConfigOf<kOf>> config() {
  const control::CollectionRow& row = row_of(kOf);
  return {.row = row,
          .target = control::target_of(row),
          .decode = [](const Value& object) -> Result<ConfigOf<kOf>> {
            ASSIGN_OR_RETURN(ConfigText text, config_text_of(object));
            return ConfigOf<kOf>{std::move(text)};
          },
          .bounds = {.weigh = [](const ConfigOf<kOf>&) { return kMostTextBytes; },
                     .most_bytes = 2 * kMostTextBytes}};
}

}  // namespace

Result<ConfigText> config_text_of(const Value& object) {
  const api::Field root(object, api::Source::Server);
  ASSIGN_OR_RETURN(api::Metadata metadata, api::decode_metadata(root));
  ConfigText text{.uid = std::move(metadata.uid), .version = std::move(metadata.resource_version)};
  ASSIGN_OR_RETURN(auto data, root.labels("data"));
  for (auto& [key, value] : data) text.data.emplace(key, std::move(value));
  return text;
}

Result<api::Request> rests_request(const WriteRests& rests) {
  Value metadata = api::json_map({{"name", api::json_text(std::string(kRestsName))},
                                  {"namespace", api::json_text(std::string(kConfigNamespace))}});
  if (!rests.version.empty()) {
    api::set_member(metadata, "resourceVersion", api::json_text(rests.version));
  }
  api::Request request;
  request.method = rests.version.empty() ? api::Method::Post : api::Method::Put;
  request.path = control::path_of(row_of(Collection::Rests)) +
                 (rests.version.empty() ? "" : "/" + std::string(kRestsName));
  request.content_type = api::kJson;
  request.body = api::to_json(
      api::json_map({{"apiVersion", api::json_text("v1")},
                     {"kind", api::json_text("ConfigMap")},
                     {"metadata", std::move(metadata)},
                     {"data", api::json_map({{kRestsKey, api::json_text(rests.text)}})}}));
  return request;
}

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
  // Ten thousand budgets after a start: within two minutes, and others are served beside it. Twenty
  // moves in a second take no more.
  of.calls = {std::chrono::milliseconds(7), 100};
  return of;
}

void Wire::follow(Collections& collections) {
  collections.add(Collection::Nodes,
                  cluster::followed_nodes(row_of(Collection::Nodes), api::Part::Whole));
  collections.add(Collection::Pods, pods());
  collections.add(Collection::Budgets,
                  cluster::followed_budgets<policy::DisruptionBudget>(
                      row_of(Collection::Budgets), api::decode_disruption_budget));
  collections.add(Collection::PodBudgets,
                  cluster::followed_budgets<policy::PodDisruptionBudget>(
                      row_of(Collection::PodBudgets), api::decode_pod_disruption_budget));
  collections.add(Collection::Namespaces,
                  cluster::followed_namespaces(row_of(Collection::Namespaces)));
  collections.add(Collection::Deployments, owners<Collection::Deployments>());
  collections.add(Collection::ReplicaSets, owners<Collection::ReplicaSets>());
  collections.add(Collection::StatefulSets, owners<Collection::StatefulSets>());
  collections.add(Collection::Settings, config<Collection::Settings>());
  collections.add(Collection::Rests, config<Collection::Rests>());
}

control::Following<cluster::PackedPod> Wire::pods() {
  const control::CollectionRow& row = row_of(Collection::Pods);
  api::WatchTarget target = control::target_of(row);
  target.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  // Whole: moves go by what pods ask of their nodes.
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

// ---- moves ----

void Wire::write(EffectId id, const AvoidNode& avoid) {
  line_.writes().request(
      api::Method::Get, api::pod_path(avoid.pod.ns, avoid.pod.name), {}, "", "",
      [this, id, avoid](Result<api::Response> pod) { this->avoid(id, avoid, std::move(pod)); });
}

void Wire::avoid(EffectId id, const AvoidNode& avoid, Result<api::Response> pod) {
  if (!pod) return line_.failed(id, std::move(pod).error());
  line_.writes().request(
      api::Method::Get, api::node_object_path(avoid.node), {}, "", "",
      [this, id, avoid, body = std::move(pod->body)](Result<api::Response> node) {
        this->avoid(id, avoid, body, std::move(node));
      });
}

void Wire::avoid(EffectId id, const AvoidNode& avoid, const std::string& pod,
                 Result<api::Response> node) {
  if (!node) return line_.failed(id, std::move(node).error());
  auto request = avoidances_.put(avoid, pod, node->body);
  if (!request) return line_.failed(id, request.error().with("node " + avoid.node));
  line_.writes().request(request->method, std::move(request->path), {},
                         std::string(request->content_type), std::move(request->body),
                         [this, id](Result<api::Response> answer) {
                           if (answer) return line_.tell(Done{.effect = id});
                           line_.failed(id, as_conflict(std::move(answer).error()));
                         });
}

void Wire::write(EffectId id, const AllowNode& allow) { this->allow(id, allow, kMostTries); }

void Wire::allow(EffectId id, const AllowNode& allow, int tries) {
  line_.writes().request(api::Method::Get, api::node_object_path(allow.node), {}, "", "",
                         [this, id, allow, tries](Result<api::Response> node) {
                           if (!node) return line_.failed(id, std::move(node).error());
                           auto request = avoidances_.take_back(allow, node->body);
                           if (!request)
                             return line_.failed(id, request.error().with("node " + allow.node));
                           if (!request->has_value()) return line_.tell(Done{.effect = id});
                           take_back(id, allow, *std::move(*request), tries - 1);
                         });
}

void Wire::take_back(EffectId id, const AllowNode& allow, api::Request request, int tries) {
  line_.writes().request(request.method, std::move(request.path), {},
                         std::string(request.content_type), std::move(request.body),
                         [this, id, allow, tries](Result<api::Response> answer) {
                           if (answer) return line_.tell(Done{.effect = id});
                           const Error error = as_conflict(std::move(answer).error());
                           const bool again = error.code == Code::Conflict && tries > 0;
                           if (again) return this->allow(id, allow, tries);
                           line_.failed(id, error);
                         });
}

// The server charges a PodDisruptionBudget before it looks at the uid: a pod that was replaced is
// found here instead.
void Wire::write(EffectId id, const EvictPod& evict) {
  if (evict.dry_run) return post(id, evict);
  line_.writes().request(api::Method::Get, api::pod_path(evict.pod.ns, evict.pod.name), {}, "", "",
                         [this, id, evict](Result<api::Response> pod) {
                           if (!pod) {
                             Error error = std::move(pod).error();
                             // It was not sent.
                             if (error.code == Code::Unavailable) error.code = Code::Internal;
                             return line_.failed(id, std::move(error));
                           }
                           const auto object = parse_json(pod->body);
                           const bool is_it = object && api::ref_of(*object).uid == evict.pod.uid;
                           if (is_it) return post(id, evict);
                           line_.failed(
                               id, Error{Code::NotFound, "another pod has the name by now", {}});
                         });
}

void Wire::post(EffectId id, const EvictPod& evict) {
  auto request = api::eviction_request(ref_of(evict.pod), {.grace = {}, .dry_run = evict.dry_run});
  if (!request) return line_.failed(id, std::move(request).error());
  line_.writes().ask(*std::move(request), [this, id](Result<api::Response> answer) {
    if (!answer) return line_.failed(id, std::move(answer).error());
    if (api::is_success(*answer)) return line_.tell(Done{.effect = id});
    if (auto refusal = api::refusal_in(*answer)) {
      return line_.failed(id,
                          Error{Code::Exhausted, std::move(refusal->why), refusal->retry_after});
    }
    line_.failed(id, api::error_from(api::status_from(*answer, api::Method::Post)));
  });
}

api::Client::Raw Wire::budget_reporter(EffectId id) {
  return [this, id](Result<api::Response> response) {
    line_.look_at_date(response);
    auto budget = cluster::budget_in(response);
    if (!budget) return line_.failed(id, std::move(budget).error());
    line_.tell(Done{.effect = id, .lease = {}, .budget = *std::move(budget)});
  };
}

void Wire::write(EffectId id, const ReadLedger& read) {
  cluster::send(read.at_once ? line_.prompt() : line_.writes(), read, budget_reporter(id));
}

void Wire::write(EffectId id, const WriteLedger& write) {
  cluster::send(write.at_once ? line_.prompt() : line_.writes(), write, budget_reporter(id));
}

void Wire::write(EffectId id, const WriteRests& rests) {
  auto request = rests_request(rests);
  if (!request) return line_.failed(id, std::move(request).error());
  line_.writes().request(
      request->method, std::move(request->path), {}, std::string(request->content_type),
      std::move(request->body), [this, id](Result<api::Response> response) {
        if (!response) return line_.failed(id, std::move(response).error());
        const auto object = parse_json(response->body);
        auto text = object ? config_text_of(*object) : std::unexpected(object.error());
        if (!text) return line_.failed(id, std::move(text).error());
        line_.tell(Done{.effect = id, .lease = {}, .budget = {}, .version = text->version});
      });
}

void Wire::write(EffectId /*id*/, const AnswerReview& answer) {
  if (answer_) answer_(answer);
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
