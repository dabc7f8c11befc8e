#include "api/write/removal.h"

#include "api/codec/json.h"
#include "api/write/pod_status.h"

namespace elbowroom::api {
namespace {

Result<void> checked(const ObjectRef& victim) {
  if (victim.ns.empty() || victim.name.empty() || victim.uid.empty()) {
    return failure(Code::Internal, "a removal needs namespace, name and uid");
  }
  return {};
}

}  // namespace

Result<Request> mark_request(const ObjectRef& victim, const policy::Condition& mark) {
  RETURN_IF_ERROR(checked(victim));
  Request request;
  request.method = Method::Patch;
  request.path = pod_path(victim.ns, victim.name, "status");
  request.content_type = kStrategicMergePatch;
  request.body = conditions_patch(victim.uid, {.set = {mark}});
  return request;
}

Result<Request> delete_request(const ObjectRef& victim, bool dry_run) {
  RETURN_IF_ERROR(checked(victim));
  Value options = json_map({{"apiVersion", json_text("v1")},
                            {"kind", json_text("DeleteOptions")},
                            {"preconditions", json_map({{"uid", json_text(victim.uid)}})}});
  if (dry_run) set_member(options, "dryRun", json_list({json_text("All")}));
  Request request;
  request.method = Method::Delete;
  request.path = pod_path(victim.ns, victim.name);
  request.content_type = kJson;
  request.body = to_json(options);
  return request;
}

}  // namespace elbowroom::api
