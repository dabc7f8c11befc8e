#include "control/replica_keys.h"

#include <algorithm>

namespace elbowroom::control {
namespace {

bool is_label(std::string_view name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, is_fine);
}

}  // namespace

daemon::Key leader_elect_key() {
  return {.name = "leaderElect",
          .kind = daemon::Key::Kind::Bool,
          .fallback = "true",
          .help = "whether one of several replicas leads, by a Lease"};
}

daemon::Key lease_namespace_key(std::string_view help) {
  return {.name = "leaseNamespace", .fallback = "kube-system", .help = help};
}

Result<std::string> lease_namespace(const daemon::Settings& settings) {
  const std::string& name = settings.text("leaseNamespace");
  if (is_label(name)) return name;
  return failure(Code::Invalid, "leaseNamespace: " + name + " is no name of a namespace");
}

}  // namespace elbowroom::control
