// What a program asks the API server for, as RBAC names it: a row for each verb and resource. A
// test compares these tables with the manifests and with what a server sees of each program, so a
// call without its row, or a row without its call, is found.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace elbowroom::api {

struct RbacRule {
  std::string_view verb{};
  std::string_view group{};     // "": the core group
  std::string_view resource{};  // with its subresource: "pods/status"
  std::string_view why{};       // a phrase
  std::string_view ns{};        // in this namespace only
  std::string_view name{};      // of this object only
};

// A role that the manifests give to a program.
struct Role {
  std::string_view name{};
  std::string_view program{};  // and its mode
  std::span<const RbacRule> rights{};
};

// The reference page, in Markdown.
[[nodiscard]] std::string rbac_page(std::span<const Role> roles);

}  // namespace elbowroom::api
