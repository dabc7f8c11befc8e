#include "policy/model/pod_text.h"

namespace elbowroom::policy {

PodText name_for_reader(std::string_view reader, std::string_view key, std::string_view uid) {
  const std::string name(key);
  if (!reader.empty() && key.substr(0, key.find('/')) == reader) return name;
  // A pod without a uid (from a file) is identified by its name.
  const bool has_uid = !uid.empty() && uid != key;
  return {name, has_uid ? "uid " + std::string(uid) : "of another namespace"};
}

PodText name_for_reader(std::string_view reader, const Pod& pod) {
  return name_for_reader(reader, key_of(pod), pod.uid);
}

}  // namespace elbowroom::policy
