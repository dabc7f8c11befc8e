// The permissions that a program needs on the API server, as RBAC rules: one row for each verb and
// resource. A test compares these tables with the manifests and with the requests of each program,
// so it finds a call without its row, and a row without its call.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace elbowroom::api {

struct RbacRule {
  std::string_view verb{};
  std::string_view group{};     // "": the core group
  std::string_view resource{};  // including its subresource: "pods/status"
  std::string_view why{};       // a phrase
  std::string_view ns{};        // only in this namespace
  std::string_view name{};      // only for this object
};

// A role that the manifests bind to a program.
struct Role {
  std::string_view name{};
  std::string_view program{};  // including its mode
  std::span<const RbacRule> rights{};
};

// The reference page, in Markdown.
[[nodiscard]] std::string rbac_page(std::span<const Role> roles);

}  // namespace elbowroom::api
