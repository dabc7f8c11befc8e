#include "api/codec/decode_cluster_pod.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "api/codec/decode_common.h"
#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "policy/model/condition.h"

namespace elbowroom::api {
namespace {

using policy::Phase;
using policy::Pod;

std::optional<Phase> finished_as(const Value& object) {
  const Value* status = object.find("status");
  const std::string_view phase = status == nullptr ? "" : text_at(*status, "phase");
  if (phase == "Succeeded") return Phase::Succeeded;
  if (phase == "Failed") return Phase::Failed;
  return std::nullopt;
}

bool has_begun(const ContainerParts* parts) {
  const auto begun = [](const ContainerStatusFields& each) {
    return each.state == policy::RunState::Running || each.state == policy::RunState::Terminated;
  };
  return parts != nullptr && (std::ranges::any_of(parts->statuses, begun) ||
                              std::ranges::any_of(parts->init_statuses, begun));
}

// Whether one of its containers has ever started, as far as its status shows.
bool has_begun(const Value& status) {
  for (const std::string_view key : {"initContainerStatuses", "containerStatuses"}) {
    const Value* list = status.find(key);
    if (list == nullptr) continue;
    const bool begun = std::ranges::any_of(list->items, [](const Value& each) {
      const Value* state = each.find("state");
      return state != nullptr &&
             (state->find("running") != nullptr || state->find("terminated") != nullptr);
    });
    if (begun) return true;
  }
  return false;
}

policy::Conditions disruption_target_of(const Value& status) {
  const auto all = decode_conditions(Field(status, Source::Server), Conditioned::Pod);
  const policy::Condition* target =
      all ? policy::find_condition(*all, policy::kDisruptionTarget) : nullptr;
  return target == nullptr ? policy::Conditions{} : policy::Conditions{*target};
}

// Reads only the identity, the node and how the pod ended: nothing else matters, and nothing else
// can cause an error.
Result<Pod> decode_finished(const Value& object, Phase phase, const ContainerParts* parts) {
  const Field root(object, Source::Server);
  ObjectRef ref = ref_of(object);
  if (ref.name.empty()) return failure(Code::Invalid, "metadata.name: must not be empty");
  if (std::max({ref.name.size(), ref.ns.size(), ref.uid.size()}) > kMaxNameBytes) {
    return failure(Code::Invalid, "metadata: a name is longer than 253 characters");
  }
  Pod pod;
  pod.ns = ref.ns.empty() ? "default" : std::move(ref.ns);
  pod.name = std::move(ref.name);
  pod.uid = std::move(ref.uid);
  if (pod.uid.empty()) pod.uid = key_of(pod);
  const Value& metadata = *object.find("metadata");
  pod.generation = integer_at(metadata, "generation", 0);
  pod.resource_version = text_at(metadata, "resourceVersion");
  if (auto owner = decode_controller(root)) pod.controller = *std::move(owner);
  if (const Value* spec = object.find("spec")) {
    pod.node = text_at(*spec, "nodeName").substr(0, kMaxNameBytes);
  }
  const Value& status = *object.find("status");
  pod.phase = phase;
  pod.conditions = disruption_target_of(status);
  if (has_begun(status) || has_begun(parts)) {
    pod.containers.emplace_back();
    pod.containers.back().name = "ended";
    pod.containers.back().state = policy::RunState::Terminated;
  }
  return pod;
}

Result<Pod> decode(const Value& object, const PodReading& reading) {
  const auto phase = finished_as(object);
  if (!phase) return decode_pod_as(reading, object);
  Result<Pod> pod = decode_finished(object, *phase, reading.parts);
  if (!pod) return std::unexpected(pod.error().with("pod " + name_in_errors(object, true)));
  return pod;
}

}  // namespace

Result<Pod> decode_cluster_pod(const Value& object, UnreadableTerms* odd) {
  return decode(object, {.source = Source::Server, .odd = odd});
}

Result<Pod> decode_placed_pod(const Value& object) {
  return decode(object, {.source = Source::Server, .terms = Terms::Skipped});
}

Result<Pod> decode_cluster_pod_in_parts(const Value& object, const ContainerParts& parts,
                                        Terms terms) {
  return decode(object, {.source = Source::Server, .terms = terms, .parts = &parts});
}

}  // namespace elbowroom::api
