#include "api/transport/rbac_rule.h"

namespace elbowroom::api {

std::string rbac_page(std::span<const Role> roles) {
  std::string page =
      "# Rights\n\nWhat the programs ask the API server for, and all that the manifests in "
      "`packaging/kustomize` allow them. This page is\nprinted by `elbowroom reference rbac`; a "
      "test compares the page, the manifests and what a server sees of each program.\nReads that a "
      "person's `elbowroom explain` needs are in [explain.md](explain.md). `/version` is asked "
      "for, "
      "too, which\nKubernetes lets every user do.\n";
  for (const Role& role : roles) {
    page += "\n## " + std::string(role.name) + "\n\n" + std::string(role.program) +
            ".\n\n| verb | group | resource | only | what for |\n|---|---|---|---|---|\n";
    for (const RbacRule& right : role.rights) {
      std::string only;
      if (!right.name.empty()) only += "named `" + std::string(right.name) + "` ";
      if (!right.ns.empty()) only += "in `" + std::string(right.ns) + "`";
      page += "| " + std::string(right.verb) + " | " + std::string(right.group) + " | `" +
              std::string(right.resource) + "` | " + only + " | " + std::string(right.why) + " |\n";
    }
  }
  return page;
}

}  // namespace elbowroom::api
