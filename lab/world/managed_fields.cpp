#include "lab/world/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lab/schema/schema.h"

namespace elbowroom::lab {

std::vector<ManagedFields> managed_fields_of(const Json& object) {
  std::vector<ManagedFields> managers;
  for (const Json& entry : list_at(object, {"metadata", "managedFields"})) {
    if (text_at(entry, {"manager"}).empty()) continue;
    managers.push_back({.writer = {.manager = text_at(entry, {"manager"}),
                                   .applies = text_at(entry, {"operation"}) == "Apply",
                                   .subresource = text_at(entry, {"subresource"})},
                        .api_version = text_at(entry, {"apiVersion"}),
                        .time = text_at(entry, {"time"}),
                        .fields = field_set_of(map_at(entry, {"fieldsV1"}))});
  }
  return managers;
}

Json to_json(const std::vector<ManagedFields>& managers) {
  Json list = Json::array();
  for (const ManagedFields& entry : managers) {
    if (entry.fields.is_empty()) continue;
    Json one = {
        {"manager", entry.writer.manager}, {"operation", entry.writer.applies ? "Apply" : "Update"},
        {"apiVersion", entry.api_version}, {"time", entry.time},
        {"fieldsType", "FieldsV1"},        {"fieldsV1", fields_v1(entry.fields)}};
    if (!entry.writer.subresource.empty()) one["subresource"] = entry.writer.subresource;
    list.push_back(std::move(one));
  }
  return list;
}

Json owned_part(const Kind& kind, const std::string& subresource, Json object) {
  object.erase("apiVersion");
  object.erase("kind");
  if (kind.has_status) {
    object.erase(subresource == "status" ? "spec" : "status");
  }
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return object;
  if (subresource == "resize") {
    object.erase(metadata);
    return object;
  }
  for (const char* field :
       {"name", "namespace", "uid", "creationTimestamp", "resourceVersion", "generation",
        "selfLink", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata->erase(field);
  }
  if (metadata->empty()) object.erase(metadata);
  return object;
}

std::vector<ManagedFields> managers_after_update(const Kind& kind,
                                                 std::vector<ManagedFields> managers,
                                                 const FieldWriter& writer, const Json& before,
                                                 const Json& after, const std::string& time) {
  const Comparison change = compared(schema_of(kind), owned_part(kind, writer.subresource, before),
                                     owned_part(kind, writer.subresource, after));
  if (change.changed.is_empty() && change.removed.is_empty()) return managers;
  const FieldSet taken = united(change.changed, change.removed);
  bool found = false;
  for (ManagedFields& entry : managers) {
    if (entry.writer != writer) {
      entry.fields = without(entry.fields, taken);
      continue;
    }
    found = true;
    entry.fields = united(without(entry.fields, change.removed), change.changed);
    entry.time = time;
  }
  if (!found) {
    managers.push_back({.writer = writer,
                        .api_version = api_version_of(kind),
                        .time = time,
                        .fields = change.changed});
  }
  std::erase_if(managers, [](const ManagedFields& entry) { return entry.fields.is_empty(); });
  return managers;
}

}  // namespace elbowroom::lab
