#include "api/write/binding.h"

#include "api/codec/json.h"

namespace elbowroom::api {

Result<Request> binding_request(const ObjectRef& pod, const std::string& node) {
  if (pod.ns.empty() || pod.name.empty() || pod.uid.empty() || node.empty()) {
    return failure(Code::Internal, "a binding needs namespace, name, uid and node");
  }
  Request request;
  request.method = Method::Post;
  request.path = pod_path(pod.ns, pod.name, "binding");
  request.content_type = kJson;
  request.body = to_json(json_map({{"apiVersion", json_text("v1")},
                                   {"kind", json_text("Binding")},
                                   {"metadata", json_map({{"namespace", json_text(pod.ns)},
                                                          {"name", json_text(pod.name)},
                                                          {"uid", json_text(pod.uid)}})},
                                   {"target", json_map({{"apiVersion", json_text("v1")},
                                                        {"kind", json_text("Node")},
                                                        {"name", json_text(node)}})}}));
  return request;
}

}  // namespace elbowroom::api
