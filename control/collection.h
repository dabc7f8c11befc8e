// The collections that a daemon follows: a table, one row each, and what is reported of them. What
// a daemon watches, the rights it asks for, and the names in its recordings, log and metrics all
// come from the row.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/object_ref.h"
#include "api/transport/rbac_rule.h"
#include "api/watch/watch_loop.h"
#include "control/listed.h"

namespace elbowroom::control {

struct CollectionRow {
  std::string_view name{};   // in recordings: ownBudgets
  std::string_view words{};  // in the log: our own budgets
  std::string_view group{};  // of the API; "": the core group
  std::string_view version{};
  // Of a kind with `is_discovered`: versions that are followed where the newer ones are not served,
  // newest first; "": none.
  std::array<std::string_view, 2> older_versions{};
  std::string_view resource{};  // also in metrics
  std::string_view kind{};
  std::string_view ns{};      // the namespace that is followed; "": all
  std::string_view object{};  // the one object of it that is followed; "": all
  std::string_view why{};     // of the rights
  bool by_protobuf = false;   // where the server has it
  // A kind that need not be installed: a server without it has no objects of it.
  bool is_optional = false;
  // An optional kind that is followed only where discovery finds it (control/served_version.h), in
  // the newest of its versions there. Where it is not served, no right is needed.
  bool is_discovered = false;
  // A changed object that cannot be understood counts as deleted; otherwise its last known state is
  // kept.
  bool is_gone_when_odd = false;
};

// "/apis/policy/v1/poddisruptionbudgets", "/api/v1/namespaces/NS/configmaps"; of the row's first
// version, or of that one.
[[nodiscard]] std::string path_of(const CollectionRow& row);
[[nodiscard]] std::string path_of(const CollectionRow& row, std::string_view version);
// What is asked for; a further field selector, a part and an overflow are the daemon's to add.
[[nodiscard]] api::WatchTarget target_of(const CollectionRow& row);

// The rights that following the collection takes.
[[nodiscard]] constexpr api::RbacRule right_to_list(const CollectionRow& row) {
  return {.verb = "list",
          .group = row.group,
          .resource = row.resource,
          .why = row.why,
          .ns = row.ns,
          .name = row.object};
}
[[nodiscard]] constexpr api::RbacRule right_to_watch(const CollectionRow& row) {
  return {.verb = "watch",
          .group = row.group,
          .resource = row.resource,
          .why = row.why,
          .ns = row.ns,
          .name = row.object};
}

// The names of a table's collections, for recordings.
template <std::size_t N>
[[nodiscard]] constexpr std::array<std::string_view, N> names_of(
    const std::array<CollectionRow, N>& table) {
  std::array<std::string_view, N> names;
  for (std::size_t at = 0; at < N; ++at) names[at] = table[at].name;
  return names;
}

// What a daemon sees of a list, and of a deleted object.
template <class T>
[[nodiscard]] Listed<T> listed_as(std::vector<T> objects, const std::vector<api::ObjectRef>& odd) {
  Listed<T> list{std::move(objects), {}};
  for (const api::ObjectRef& each : odd) list.unreadable.push_back(api::to_string(each));
  return list;
}
template <class T>
[[nodiscard]] Gone<T> gone_as(const api::ObjectRef& ref) {
  return {api::to_string(ref), ref.uid};
}

}  // namespace elbowroom::control
