#include "lab/controllers/pod_template.h"

#include <string_view>

#include "base/checksum.h"
#include "lab/controllers/owned_objects.h"

namespace elbowroom::lab {

Json pod_of_template(const Kind& owner_kind, const Json& owner) {
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", Json::object()}};
  for (const char* part : {"labels", "annotations", "finalizers"}) {
    const Json* given = find_at(owner, {"spec", "template", "metadata", part});
    if (given != nullptr && !given->is_null()) pod["metadata"][part] = *given;
  }
  pod["metadata"]["ownerReferences"] = Json::array({controller_reference(owner_kind, owner)});
  pod["spec"] = map_at(owner, {"spec", "template", "spec"});
  return pod;
}

std::string template_hash(const Json& pod_template, int turn) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text = to_text(pod_template);
  if (turn > 0) text += std::to_string(turn);
  std::string hash = std::to_string(crc32c(text));
  for (char& letter : hash) letter = kLetters[static_cast<std::size_t>(letter) % kLetters.size()];
  return hash;
}

}  // namespace elbowroom::lab
