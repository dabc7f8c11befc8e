// The columns of nodes.
#include <array>
#include <set>
#include <string>

#include "lab/apiserver/human_duration.h"
#include "lab/apiserver/table_columns.h"

namespace elbowroom::lab {
namespace {

constexpr std::array kColumns{
    Column{.name = "Name", .description = "Name must be unique within a namespace."},
    Column{.name = "Status", .description = "The status of the node"},
    Column{.name = "Roles", .description = "The roles of the node"},
    Column{.name = "Age", .description = "When the server created this object."},
    Column{.name = "Version", .description = "Kubelet Version reported by the node."},
    Column{.name = "Internal-IP",
           .description = "List of addresses reachable to the node.",
           .priority = 1},
    Column{.name = "External-IP",
           .description = "List of addresses reachable to the node.",
           .priority = 1},
    Column{.name = "OS-Image", .description = "OS Image reported by the node.", .priority = 1},
    Column{.name = "Kernel-Version",
           .description = "Kernel Version reported by the node.",
           .priority = 1},
    Column{.name = "Container-Runtime",
           .description = "ContainerRuntime Version reported by the node.",
           .priority = 1}};

std::string status_of(const Json& node) {
  std::string status = "Unknown";
  for (const Json& condition : list_at(node, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) != "Ready") continue;
    status = text_at(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  return truth_at(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string roles_of(const Json& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : map_at(node, {"metadata", "labels"}).items()) {
    if (key.size() > kPrefix.size() && key.starts_with(kPrefix)) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && value.is_string() && value != "") {
      roles.insert(value.get<std::string>());
    }
  }
  std::string text;
  for (const std::string& role : roles) text += (text.empty() ? "" : ",") + role;
  return text.empty() ? "<none>" : text;
}

std::string address_of(const Json& node, std::string_view type) {
  for (const Json& address : list_at(node, {"status", "addresses"})) {
    if (text_at(address, {"type"}) == type) return text_at(address, {"address"});
  }
  return "<none>";
}

std::string told(const Json& node, std::string_view field) {
  const std::string text = text_at(node, {"status", "nodeInfo", field});
  return text.empty() ? "<unknown>" : text;
}

Json cells(const Json& node, policy::Time now) {
  std::string kernel = told(node, "kernelVersion");
  if (const std::string arch = text_at(node, {"status", "nodeInfo", "architecture"});
      !arch.empty()) {
    kernel += " (" + arch + ")";
  }
  return {text_at(node, {"metadata", "name"}),
          status_of(node),
          roles_of(node),
          human_age(text_at(node, {"metadata", "creationTimestamp"}), now),
          text_at(node, {"status", "nodeInfo", "kubeletVersion"}),
          address_of(node, "InternalIP"),
          address_of(node, "ExternalIP"),
          told(node, "osImage"),
          kernel,
          told(node, "containerRuntimeVersion")};
}

}  // namespace

Columns node_columns() { return {.columns = kColumns, .cells = cells}; }

}  // namespace elbowroom::lab
