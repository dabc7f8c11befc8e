#include "api/codec/decode_selecting.h"

#include <string>
#include <utility>

#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"

namespace elbowroom::api {
namespace {

using policy::Selecting;
using policy::SelectingKind;

std::string_view name_of(SelectingKind kind) {
  switch (kind) {
    case SelectingKind::Service:
      return "service";
    case SelectingKind::ReplicationController:
      return "replication controller";
    case SelectingKind::ReplicaSet:
      return "replica set";
    case SelectingKind::StatefulSet:
      return "stateful set";
  }
  return "";
}

Result<Selecting> decode(const Field& root, SelectingKind kind) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  Selecting made{.kind = kind,
                 .ns = metadata.ns.empty() ? "default" : std::move(metadata.ns),
                 .name = std::move(metadata.name)};
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  if (kind == SelectingKind::Service || kind == SelectingKind::ReplicationController) {
    ASSIGN_OR_RETURN(made.selector.match_labels, spec.labels("selector"));
    return made;
  }
  ASSIGN_OR_RETURN(auto selector, decode_selector(spec, "selector"));
  made.selector = std::move(selector).value_or(policy::LabelSelector{});
  return made;
}

}  // namespace

std::optional<SelectingKind> selecting_kind_of(std::string_view kind) {
  if (kind == "Service") return SelectingKind::Service;
  if (kind == "ReplicationController") return SelectingKind::ReplicationController;
  if (kind == "ReplicaSet") return SelectingKind::ReplicaSet;
  if (kind == "StatefulSet") return SelectingKind::StatefulSet;
  return std::nullopt;
}

Result<Selecting> decode_selecting(const Value& object, SelectingKind kind, Source source) {
  Result<Selecting> made = decode(Field(object, source), kind);
  if (made) return made;
  return std::unexpected(
      made.error().with(std::string(name_of(kind)) + " " + name_in_errors(object, true)));
}

std::size_t weight_of(const Selecting& object) {
  return 2 * kBytesOfMapNode + sizeof object + cached_bytes(object.ns) +
         2 * cached_bytes(object.name) + weight_of(object.selector);
}

std::size_t weight_of(const policy::LabelSelector& selector) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : selector.match_labels) {
    bytes += kBytesOfMapNode + cached_bytes(key) + cached_bytes(value);
  }
  for (const policy::LabelExpression& each : selector.expressions) {
    bytes += sizeof each + cached_bytes(each.key);
    for (const std::string& value : each.values) bytes += cached_bytes(value);
  }
  return bytes;
}

}  // namespace elbowroom::api
