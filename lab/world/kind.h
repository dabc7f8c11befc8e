// The kinds of objects in the lab's cluster, as one table. Events have two entries, core and
// events.k8s.io, pod groups and workloads one for each version; objects are stored once.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace elbowroom::lab {

struct Kind {
  std::string_view group{};  // "" for the core group
  std::string_view version{};
  std::string_view name{};    // "Pod"
  std::string_view plural{};  // "pods"; also names the store
  std::string_view short_name{};
  bool namespaced = false;
  bool has_status = false;         // writes go to spec or to status, never to both
  bool counts_generation = false;  // metadata.generation follows the spec
  bool built_in = true;            // false: a custom resource, without strategic merge patch
};

[[nodiscard]] std::span<const Kind> all_kinds();

// The versions of scheduling.k8s.io that an API server serves pod groups and workloads in: v1beta1
// and v1alpha3, v1alpha3 alone, or none, as API servers do by default.
enum class GroupVersions { All, Alpha, None };

[[nodiscard]] bool is_served(const Kind& kind, GroupVersions groups);
// PodGroup or Workload, in any version.
[[nodiscard]] bool is_of_groups(const Kind& kind);
// The same kind in the version that its objects are stored in.
[[nodiscard]] const Kind& stored_kind(const Kind& kind);

// The kind at /apis/GROUP/VERSION/PLURAL, or nullptr.
[[nodiscard]] const Kind* find_kind(std::string_view group, std::string_view version,
                                    std::string_view plural);

// The kind that an object names ("v1", "Pod"), or nullptr.
[[nodiscard]] const Kind* find_kind_of(std::string_view api_version, std::string_view name);

// "v1", "policy/v1".
[[nodiscard]] std::string api_version_of(const Kind& kind);

// "pods", "leases.coordination.k8s.io": the name in messages.
[[nodiscard]] std::string resource_name(const Kind& kind);

}  // namespace elbowroom::lab
