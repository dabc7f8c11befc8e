#include "api/write/volume_patch.h"

#include <utility>

#include "api/codec/json.h"

namespace elbowroom::api {
namespace {

Value preconditions(const std::string& uid, const std::string& resource_version,
                    Value annotations) {
  return json_map({{"uid", json_text(uid)},
                   {"resourceVersion", json_text(resource_version)},
                   {"annotations", std::move(annotations)}});
}

}  // namespace

std::string claim_ref_patch(const std::string& uid, const std::string& resource_version,
                            const policy::ClaimRef& claim, bool marked) {
  Value annotations = json_map({});
  if (marked) set_member(annotations, "pv.kubernetes.io/bound-by-controller", json_text("yes"));
  Value ref = json_map({{"apiVersion", json_text("v1")},
                        {"kind", json_text("PersistentVolumeClaim")},
                        {"namespace", json_text(claim.ns)},
                        {"name", json_text(claim.name)},
                        {"uid", json_text(claim.uid)}});
  return to_json(
      json_map({{"metadata", preconditions(uid, resource_version, std::move(annotations))},
                {"spec", json_map({{"claimRef", std::move(ref)}})}}));
}

std::string selected_node_patch(const std::string& uid, const std::string& resource_version,
                                const std::string& node) {
  Value annotations = json_map({{"volume.kubernetes.io/selected-node", json_text(node)}});
  return to_json(
      json_map({{"metadata", preconditions(uid, resource_version, std::move(annotations))}}));
}

}  // namespace elbowroom::api
