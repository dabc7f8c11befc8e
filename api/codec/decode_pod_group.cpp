#include "api/codec/decode_pod_group.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"
#include "api/codec/field.h"

namespace elbowroom::api {
namespace {

using policy::DisruptionMode;
using policy::GroupObstacle;
using policy::PodGroup;

using GroupNumbers = std::numeric_limits<std::int32_t>;

// The one member of a union that is set; "" for a union without one. Empty members count.
Result<std::string_view> member_of_union(const Field& at,
                                         const std::array<std::string_view, 2>& known) {
  std::string_view set;
  if (!at.present()) return set;
  if (at.value().kind != Value::Kind::Map) return at.refuse("expected a mapping");
  for (const Member& each : at.value().members) {
    if (each.value.kind == Value::Kind::Null) continue;
    if (std::ranges::find(known, each.key) == known.end()) {
      return at.refuse(each.key, "is not known to this version");
    }
    if (!set.empty()) return at.refuse(each.key, "must not stand beside " + std::string(set));
    set = each.key;
  }
  return set;
}

Result<std::string> name_at(const Field& parent, std::string_view key) {
  ASSIGN_OR_RETURN(std::string name, parent.text(key));
  if (name.size() > kMaxNameBytes) {
    return parent.refuse(key, "must be no longer than 253 characters");
  }
  return name;
}

// A string in v1alpha2, a union since.
Result<void> decode_mode(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field at, spec.get("disruptionMode"));
  if (!at.present()) return {};
  std::string_view mode;
  if (at.value().kind == Value::Kind::String) {
    mode = at.value().text;
  } else {
    ASSIGN_OR_RETURN(mode, member_of_union(at, {"single", "all"}));
  }
  const bool is_single = mode == "Pod" || mode == "Single" || mode == "single";
  const bool is_all = mode == "PodGroup" || mode == "All" || mode == "all";
  if (!is_single && !is_all) return at.refuse("must be single or all");
  group.standing.mode = is_all ? DisruptionMode::All : DisruptionMode::Single;
  return {};
}

Result<void> decode_policy(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field at, spec.get("schedulingPolicy"));
  ASSIGN_OR_RETURN(const std::string_view policy, member_of_union(at, {"basic", "gang"}));
  if (policy != "gang") return {};
  ASSIGN_OR_RETURN(const Field gang, at.get("gang"));
  // Protobuf does not tell 0 from nothing.
  ASSIGN_OR_RETURN(const auto count, gang.integer("minCount", 0, GroupNumbers::max()));
  if (count.value_or(0) == 0) return gang.refuse("minCount", "must be 1 or more");
  group.standing.min_count = static_cast<std::int32_t>(*count);
  return {};
}

Result<void> decode_priority(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(group.priority_class, name_at(spec, "priorityClassName"));
  ASSIGN_OR_RETURN(const auto priority,
                   spec.integer("priority", GroupNumbers::min(), GroupNumbers::max()));
  group.has_priority = priority.has_value();
  group.standing.priority = static_cast<std::int32_t>(priority.value_or(0));
  return {};
}

// Of a newer server's policy it is not known what it allows.
Result<void> decode_preemption(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const std::string text, spec.text("preemptionPolicy"));
  group.has_policy = !text.empty();
  if (group.has_policy && text != "PreemptLowerPriority") {
    group.standing.preemption_policy = policy::PreemptionPolicy::Never;
  }
  return {};
}

Result<void> decode_workload(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field ref, spec.get("workloadRef"));
  ASSIGN_OR_RETURN(group.workload, name_at(ref, "workloadName"));
  if (!group.workload.empty()) return {};
  ASSIGN_OR_RETURN(const Field older, spec.get("podGroupTemplateRef"));  // v1alpha2
  ASSIGN_OR_RETURN(const Field workload, older.get("workload"));
  ASSIGN_OR_RETURN(group.workload, name_at(workload, "workloadName"));
  return {};
}

// The first obstacle stays.
void hinder(PodGroup& group, GroupObstacle by) {
  if (group.standing.obstacle == GroupObstacle::None) group.standing.obstacle = by;
}

Result<void> decode_parent(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const std::string parent, spec.text("parentCompositePodGroupName"));
  if (!parent.empty()) hinder(group, GroupObstacle::CompositeParent);
  return {};
}

Result<void> decode_constraints(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field at, spec.get("schedulingConstraints"));
  ASSIGN_OR_RETURN(const Field topology, at.get("topology"));
  ASSIGN_OR_RETURN(const std::size_t count, topology.size());
  const bool has_others =
      at.present() && std::ranges::any_of(at.value().members, [](const auto& each) {
        return each.key != "topology" && each.value.kind != Value::Kind::Null;
      });
  if (count > 0 || has_others) hinder(group, GroupObstacle::SchedulingConstraints);
  return {};
}

Result<void> decode_claims(const Field& spec, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field at, spec.get("resourceClaims"));
  ASSIGN_OR_RETURN(const std::size_t count, at.size());
  if (count > 0) hinder(group, GroupObstacle::ResourceClaims);
  return {};
}

Result<void> decode_status(const Field& root, PodGroup& group) {
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const Field list, status.get("conditions"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMaxGroupConditions) {
    return list.refuse("has more than " + std::to_string(kMaxGroupConditions) + " entries");
  }
  ASSIGN_OR_RETURN(group.conditions, decode_conditions(status, Conditioned::Group));
  return {};
}

// Each part by itself: what can be understood counts, and the first trouble is told.
void decode_parts(const Field& root, PodGroup& group) {
  const auto take = [&group](const Result<void>& outcome) {
    if (!outcome && group.trouble.empty()) group.trouble = outcome.error().message;
  };
  const Result<Field> spec = root.get("spec");
  if (!spec) return take(std::unexpected(spec.error()));
  // In the order of precedence.
  constexpr std::array kParts{decode_mode,     decode_policy, decode_priority,    decode_preemption,
                              decode_workload, decode_parent, decode_constraints, decode_claims};
  for (const auto& part : kParts) take(part(*spec, group));
  take(decode_status(root, group));
}

}  // namespace

Result<PodGroup> decode_pod_group(const Value& object) {
  const Field root(object, Source::Server);
  auto metadata = decode_metadata(root);
  if (!metadata) {
    return std::unexpected(metadata.error().with("pod group " + name_in_errors(object, true)));
  }
  PodGroup group{.ns = metadata->ns.empty() ? "default" : std::move(metadata->ns),
                 .name = std::move(metadata->name),
                 .resource_version = std::move(metadata->resource_version),
                 .standing = {.uid = std::move(metadata->uid)},
                 .created = metadata->created,
                 .deletion = metadata->deletion};
  decode_parts(root, group);
  if (!group.trouble.empty()) group.standing.obstacle = GroupObstacle::NotUnderstood;
  return group;
}

std::size_t weight_of(const PodGroup& group) {
  std::size_t bytes = kBytesOfMapNode + sizeof group + cached_bytes(group.resource_version);
  for (const std::string_view each :
       {std::string_view(group.ns), std::string_view(group.name),
        std::string_view(group.standing.uid), std::string_view(group.priority_class),
        std::string_view(group.workload), std::string_view(group.trouble)}) {
    bytes += cached_bytes(each);
  }
  bytes += cached_bytes(group.ns) + cached_bytes(group.name);  // its key
  for (const policy::Condition& each : group.conditions) {
    bytes += sizeof each + cached_bytes(each.type) + cached_bytes(each.status) +
             cached_bytes(each.reason) + cached_bytes(each.message);
  }
  return bytes;
}

}  // namespace elbowroom::api
