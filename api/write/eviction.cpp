#include "api/write/eviction.h"

#include "api/codec/json.h"
#include "api/transport/status_error.h"
#include "api/write/pod_status.h"

namespace elbowroom::api {
namespace {

// 429 of a PodDisruptionBudget has its words in a cause.
std::string words_in(const Status& status) {
  for (const StatusCause& each : status.causes) {
    if (each.reason == "DisruptionBudget" && !each.message.empty()) return each.message;
  }
  return status.message;
}

// The server has no code of its own for it. Source: kubernetes
// pkg/registry/core/pod/storage/eviction.go.
bool says_several_budgets(const Status& status) {
  return status.code == 500 && status.message.contains("more than one PodDisruptionBudget");
}

}  // namespace

Result<Request> eviction_request(const ObjectRef& pod, const EvictionOptions& options) {
  if (pod.ns.empty() || pod.name.empty() || pod.uid.empty()) {
    return failure(Code::Internal, "an eviction needs namespace, name and uid");
  }
  Value asked = json_map({{"preconditions", json_map({{"uid", json_text(pod.uid)}})}});
  if (options.grace) set_member(asked, "gracePeriodSeconds", json_number(options.grace->count()));
  Request request;
  request.method = Method::Post;
  request.path = pod_path(pod.ns, pod.name, "eviction");
  if (options.dry_run) request.query.emplace_back("dryRun", "All");
  request.content_type = kJson;
  request.body = api::to_json(json_map(
      {{"apiVersion", json_text("policy/v1")},
       {"kind", json_text("Eviction")},
       {"metadata", json_map({{"name", json_text(pod.name)}, {"namespace", json_text(pod.ns)}})},
       {"deleteOptions", asked}}));
  return request;
}

std::optional<EvictionRefusal> refusal_in(const Response& answer) {
  if (is_success(answer)) return std::nullopt;
  const Status status = status_from(answer, Method::Post);
  if (status.code == 429) {
    return EvictionRefusal{.why = words_in(status), .retry_after = status.retry_after};
  }
  if (says_several_budgets(status)) return EvictionRefusal{.why = status.message, .passes = false};
  return std::nullopt;
}

}  // namespace elbowroom::api
