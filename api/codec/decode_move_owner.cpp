#include "api/codec/decode_move_owner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/decode_common.h"

namespace elbowroom::api {
namespace {

using policy::MoveOwner;

Result<std::int64_t> count(const Field& from, std::string_view key, std::int64_t otherwise = 0) {
  ASSIGN_OR_RETURN(const auto given, from.integer(key));
  return given.value_or(otherwise);
}

std::string of_wanted(std::int64_t now, std::int64_t wanted, std::string_view what) {
  return std::to_string(now) + " of " + std::to_string(wanted) + " replicas are " +
         std::string(what);
}

// Why the owner is not at rest; "": it is.
Result<std::string> rolls_out(const Field& root, std::string_view kind, std::int64_t generation) {
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const std::int64_t seen, count(status, "observedGeneration"));
  if (seen < generation) return "its controller has not seen its latest change yet";
  ASSIGN_OR_RETURN(const std::int64_t wanted, count(spec, "replicas", 1));
  ASSIGN_OR_RETURN(const std::int64_t ready, count(status, "readyReplicas"));
  if (kind != "ReplicaSet") {
    ASSIGN_OR_RETURN(const std::int64_t updated, count(status, "updatedReplicas"));
    ASSIGN_OR_RETURN(const std::string current, status.text("currentRevision"));
    ASSIGN_OR_RETURN(const std::string next, status.text("updateRevision"));
    const bool is_between = kind == "StatefulSet" && current != next;
    if (updated < wanted && (kind == "Deployment" || is_between)) {
      return of_wanted(updated, wanted, "updated");
    }
    if (is_between) return "its revisions " + current + " and " + next + " differ";
  }
  ASSIGN_OR_RETURN(const std::int64_t replicas, count(status, "replicas"));
  if (replicas > wanted) return of_wanted(replicas, wanted, "there");
  if (ready < wanted) return of_wanted(ready, wanted, "ready");
  return "";
}

}  // namespace

Result<MoveOwner> decode_move_owner(const Value& object, std::string_view kind, Source source) {
  const Field root(object, source);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  MoveOwner owner{.kind = std::string(kind),
                  .ns = metadata.ns.empty() ? "default" : std::move(metadata.ns),
                  .name = std::move(metadata.name),
                  .uid = std::move(metadata.uid)};
  ASSIGN_OR_RETURN(const auto controller, decode_controller(root));
  if (controller) owner.controller = controller->uid;
  if (kind != "Deployment") {
    ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
    ASSIGN_OR_RETURN(auto selector, decode_selector(spec, "selector"));
    owner.selector = std::move(selector).value_or(policy::LabelSelector{});
  }
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  owner.tells = status.present() && !status.value().members.empty();
  if (!owner.tells) return owner;
  ASSIGN_OR_RETURN(owner.rolls_out, rolls_out(root, kind, metadata.generation));
  return owner;
}

}  // namespace elbowroom::api
