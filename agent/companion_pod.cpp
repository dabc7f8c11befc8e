#include "agent/companion_pod.h"

namespace elbowroom::agent {

bool is_working_companion(const policy::Pod& pod) {
  return pod.ns == "kube-system" && pod.controller && pod.controller->kind == "DaemonSet" &&
         pod.controller->name.find("elbowroom-agent") != std::string::npos &&
         !policy::is_terminating(pod) && policy::has_true(pod.conditions, "Ready");
}

}  // namespace elbowroom::agent
