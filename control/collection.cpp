#include "control/collection.h"

namespace elbowroom::control {

std::string path_of(const CollectionRow& row) { return path_of(row, row.version); }

std::string path_of(const CollectionRow& row, std::string_view version) {
  const std::string prefix = row.group.empty() ? "/api/" : "/apis/" + std::string(row.group) + "/";
  const std::string ns = row.ns.empty() ? "" : "/namespaces/" + std::string(row.ns);
  return prefix + std::string(version) + ns + "/" + std::string(row.resource);
}

api::WatchTarget target_of(const CollectionRow& row) {
  return {.path = path_of(row),
          .kind = std::string(row.kind),
          .field_selector = row.object.empty() ? "" : "metadata.name=" + std::string(row.object),
          .by_protobuf = row.by_protobuf,
          .version = std::string(row.version)};
}

}  // namespace elbowroom::control
