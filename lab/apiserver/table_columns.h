// The columns of each kind of object, with their values. They are upstream's of 1.37. A kind
// without an entry here shows NAME and AGE.
#pragma once

#include <span>
#include <string_view>

#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

struct Column {
  std::string_view name{};
  std::string_view description{};
  std::string_view type = "string";
  int priority = 0;  // 1: only with -o wide

  // kubectl uses the column of this format as the name of the object.
  [[nodiscard]] bool is_name() const { return name == "Name"; }
};

struct Columns {
  std::span<const Column> columns{};
  Json (*cells)(const Json& object, policy::Time now) = nullptr;
};

[[nodiscard]] Columns columns_of(const Kind& kind);

// Source of all columns: kubernetes pkg/printers/internalversion/printers.go.
[[nodiscard]] Columns pod_columns();
[[nodiscard]] Columns node_columns();
[[nodiscard]] Columns event_columns();
[[nodiscard]] Columns namespace_columns();
[[nodiscard]] Columns config_map_columns();
[[nodiscard]] Columns service_columns();
[[nodiscard]] Columns lease_columns();
[[nodiscard]] Columns budget_columns();
[[nodiscard]] Columns priority_class_columns();
[[nodiscard]] Columns pod_group_columns();
[[nodiscard]] Columns disruption_budget_columns();
[[nodiscard]] Columns deployment_columns();
[[nodiscard]] Columns replica_set_columns();
[[nodiscard]] Columns stateful_set_columns();
[[nodiscard]] Columns daemon_set_columns();

}  // namespace elbowroom::lab
