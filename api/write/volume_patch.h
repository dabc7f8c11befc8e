// The bodies of merge patches that reserve a volume for a claim, and that name the node for which a
// claim's volume is to be made. Both hold under the object's uid and version only.
#pragma once

#include <string>

#include "policy/model/volume.h"

namespace elbowroom::api {

// Of a PersistentVolume. `marked`: as bound by a controller, so that the reference may be taken
// away when the claim goes; not where a user has reserved it. Source: component-helpers
// storage/volume, GetBindVolumeToClaim.
[[nodiscard]] std::string claim_ref_patch(const std::string& uid,
                                          const std::string& resource_version,
                                          const policy::ClaimRef& claim, bool marked);

// Of a PersistentVolumeClaim.
[[nodiscard]] std::string selected_node_patch(const std::string& uid,
                                              const std::string& resource_version,
                                              const std::string& node);

}  // namespace elbowroom::api
