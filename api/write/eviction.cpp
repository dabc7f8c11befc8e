#include "api/write/eviction.h"

#include "api/codec/json.h"
#include "api/write/pod_status.h"

namespace elbowroom::api {

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

}  // namespace elbowroom::api
