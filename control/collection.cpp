#include "control/collection.h"

namespace elbowroom::control {

std::string path_of(const CollectionRow& row) {
  const std::string prefix = row.group.empty() ? "/api/" : "/apis/" + std::string(row.group) + "/";
  return prefix + std::string(row.version) + "/" + std::string(row.resource);
}

api::WatchTarget target_of(const CollectionRow& row) {
  return {.path = path_of(row), .kind = std::string(row.kind), .by_protobuf = row.by_protobuf};
}

}  // namespace elbowroom::control
