// The collections that a daemon follows: a table, one row each, and what is told of them. What a
// daemon watches, the rights it asks for, and the names in its recordings, log and metrics all come
// from the row.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/codec/object_ref.h"
#include "api/transport/rbac_rule.h"
#include "api/watch/watch_loop.h"

namespace elbowroom::control {

struct CollectionRow {
  std::string_view name{};   // in recordings: ownBudgets
  std::string_view words{};  // in the log: our own budgets
  std::string_view group{};  // of the API; "": the core group
  std::string_view version{};
  std::string_view resource{};  // also in metrics
  std::string_view kind{};
  std::string_view why{};    // of the rights
  bool by_protobuf = false;  // where the server has it
  // A kind that need not be installed: a server without it has no objects of it.
  bool is_optional = false;
  // A changed object that cannot be understood counts as gone; else what was known of it stands.
  bool is_gone_when_odd = false;
};

// "/apis/policy/v1/poddisruptionbudgets".
[[nodiscard]] std::string path_of(const CollectionRow& row);
// What is asked for; a field selector, a part and an overflow are the daemon's to add.
[[nodiscard]] api::WatchTarget target_of(const CollectionRow& row);

// The rights that following the collection takes.
[[nodiscard]] constexpr api::RbacRule right_to_list(const CollectionRow& row) {
  return {.verb = "list", .group = row.group, .resource = row.resource, .why = row.why};
}
[[nodiscard]] constexpr api::RbacRule right_to_watch(const CollectionRow& row) {
  return {.verb = "watch", .group = row.group, .resource = row.resource, .why = row.why};
}

// The names of a table's collections, for recordings.
template <std::size_t N>
[[nodiscard]] constexpr std::array<std::string_view, N> names_of(
    const std::array<CollectionRow, N>& table) {
  std::array<std::string_view, N> names;
  for (std::size_t at = 0; at < N; ++at) names[at] = table[at].name;
  return names;
}

// ---- what is told of the objects of one kind ----

// A whole list: what is not in it is gone.
template <class T>
struct Listed {
  std::vector<T> objects{};
  std::vector<std::string> unreadable{};  // keys; each was told as Unreadable before

  friend bool operator==(const Listed&, const Listed&) = default;
};
template <class T>
struct Seen {  // added or changed
  T object{};

  friend bool operator==(const Seen&, const Seen&) = default;
};
template <class T>
struct Gone {
  std::string key{};  // NAMESPACE/NAME, or NAME
  std::string uid{};

  friend bool operator==(const Gone&, const Gone&) = default;
};

// NAMESPACE and NAME, of a list that names what it could not read by both.
using NameParts = std::pair<std::string, std::string>;

// A list as the daemon has it: objects, and where there is a place for them the names of those that
// could not be read.
template <class List, class T>
[[nodiscard]] List listed_as(std::vector<T> objects, const std::vector<api::ObjectRef>& odd) {
  if constexpr (requires(List list) { list.unreadable; }) {
    decltype(List::unreadable) names;
    for (const api::ObjectRef& each : odd) {
      if constexpr (std::is_same_v<typename decltype(names)::value_type, NameParts>) {
        names.emplace_back(each.ns, each.name);
      } else {
        names.push_back(api::to_string(each));
      }
    }
    return List{std::move(objects), std::move(names)};
  } else {
    return List{std::move(objects)};
  }
}

// An object that is gone, as the daemon has it: by namespace and name, by key and uid, or by name.
template <class Gone>
[[nodiscard]] Gone gone_as(const api::ObjectRef& ref) {
  if constexpr (requires(Gone gone) { gone.ns; }) {
    return Gone{ref.ns, ref.name};
  } else if constexpr (requires(Gone gone) { gone.key; }) {
    return Gone{api::to_string(ref), ref.uid};
  } else {
    return Gone{ref.name};
  }
}

}  // namespace elbowroom::control
