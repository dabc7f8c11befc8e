#include "cli/doctor/check_inputs.h"

#include <algorithm>
#include <array>

namespace elbowroom::cli {
namespace {

constexpr std::string_view kEveryRight = "rights.*";

// What keeps a daemon from starting, and what keeps it from being ready.
constexpr std::string_view kToStart =
    "config.valid kubeconfig.found kubeconfig.valid kubeconfig.for-service kubeconfig.hidden "
    "credentials.files credentials.key credentials.program unit.user unit.alone disk.state "
    "disk.mode disk.alone disk.writable beside.kubelet runtime.socket cgroups.mounted "
    "cgroups.driver daemon.port";
constexpr std::string_view kToBeReady =
    "daemon.turns server.version server.resize server.groups rights.bound rights.* node.there "
    "runtime.answers runtime.version runtime.renewed cgroups.controllers cgroups.driver-supported "
    "cgroups.readable cgroups.writable disk.writable disk.room disk.checkpoint";

constexpr std::array kRows = {
    CheckInputs{"kubeconfig.found", "config.valid"},
    CheckInputs{"kubeconfig.valid", "kubeconfig.found"},
    CheckInputs{"kubeconfig.mode", "kubeconfig.found"},
    CheckInputs{"kubeconfig.for-service", "kubeconfig.found kubeconfig.mode unit.user"},
    CheckInputs{"kubeconfig.hidden", "kubeconfig.found"},
    CheckInputs{"credentials.files", "kubeconfig.valid"},
    CheckInputs{"credentials.certificate", "credentials.files"},
    CheckInputs{"credentials.key", "credentials.files"},
    CheckInputs{"credentials.authority", "credentials.files"},
    CheckInputs{"credentials.token", "credentials.files"},
    CheckInputs{"credentials.program", "kubeconfig.valid"},

    CheckInputs{"server.encrypted", "kubeconfig.valid"},
    CheckInputs{"server.reachable",
                "server.encrypted credentials.authority credentials.certificate credentials.key "
                "credentials.program"},
    CheckInputs{"server.tls", "server.reachable"},
    CheckInputs{"server.credentials", "server.tls credentials.token"},
    CheckInputs{"server.ready", "server.credentials"},
    CheckInputs{"server.version", "server.credentials"},
    CheckInputs{"server.resize", "server.version"},
    CheckInputs{"server.groups", "server.version"},
    CheckInputs{"server.budgets", "server.credentials"},
    CheckInputs{"server.podgroups", "server.credentials"},
    CheckInputs{"clock.server", "server.tls"},
    CheckInputs{"rights.least", "server.credentials"},
    CheckInputs{"rights.bound", "server.credentials"},
    CheckInputs{kEveryRight, "rights.bound"},

    CheckInputs{"node.there", "rights.list-nodes"},
    CheckInputs{"node.ready", "node.there"},
    CheckInputs{"node.kubelet", "node.there"},
    CheckInputs{"node.kubelet-skew", "node.kubelet server.version"},
    CheckInputs{"node.policy", "node.there"},
    CheckInputs{"node.policy-owners", "node.there"},
    CheckInputs{"node.critical-preemption", "node.there"},
    CheckInputs{"server.policy-field", "node.there rights.list-nodes rights.patch-nodes"},
    CheckInputs{"beside.kube-scheduler", "rights.list-pods server.policy-field"},
    CheckInputs{"beside.vpa", "rights.list-pods"},
    CheckInputs{"beside.descheduler", "rights.list-pods"},
    CheckInputs{"scheduler.lease", "rights.list-leases"},

    CheckInputs{"runtime.socket", "config.valid"},
    CheckInputs{"runtime.socket-mode", "runtime.socket"},
    CheckInputs{"runtime.answers", "runtime.socket"},
    CheckInputs{"runtime.ready", "runtime.answers"},
    CheckInputs{"runtime.version", "runtime.answers"},
    CheckInputs{"runtime.renewed", "runtime.socket"},
    CheckInputs{"cgroups.mounted", "config.valid"},
    CheckInputs{"cgroups.controllers", "cgroups.mounted"},
    CheckInputs{"cgroups.driver", "cgroups.mounted runtime.answers"},
    CheckInputs{"cgroups.driver-supported", "cgroups.driver"},
    CheckInputs{"cgroups.readable", "cgroups.driver"},
    CheckInputs{"cgroups.writable", "cgroups.readable"},
    CheckInputs{"disk.state", "config.valid"},
    CheckInputs{"disk.mode", "disk.state unit.user"},
    CheckInputs{"disk.writable", "disk.state"},
    CheckInputs{"disk.room", "disk.writable"},
    CheckInputs{"disk.checkpoint", "disk.state"},
    CheckInputs{"disk.set-aside", "disk.state"},
    CheckInputs{"disk.alone", "disk.state"},
    CheckInputs{"beside.kubelet", "config.valid"},

    CheckInputs{"unit.runs", kToStart},
    CheckInputs{"unit.enabled", "unit.runs"},
    CheckInputs{"unit.steady", "unit.runs"},
    CheckInputs{"daemon.port", "config.valid"},
    CheckInputs{"daemon.answers", "unit.runs"},
    CheckInputs{"daemon.turns", "daemon.answers"},
    CheckInputs{"daemon.ready", kToBeReady},
    CheckInputs{"daemon.version", "daemon.answers"},

    CheckInputs{"webhook.registered", "server.credentials"},
    CheckInputs{"webhook.certificate", "config.valid"},
    CheckInputs{"webhook.authority", "webhook.registered"},
    CheckInputs{"webhook.reachable", "webhook.certificate webhook.authority"},
    CheckInputs{"webhook.policies", "webhook.registered"},
};

const CheckInputs* row_of(std::string_view check) {
  const auto* const found = std::ranges::find(kRows, check, &CheckInputs::check);
  return found == kRows.end() ? nullptr : found;
}

}  // namespace

std::span<const CheckInputs> all_check_inputs() { return kRows; }

bool is_meant(std::string_view name, std::string_view check) {
  if (name != kEveryRight) return name == check;
  return check.starts_with("rights.") && row_of(check) == nullptr;
}

std::string_view inputs_of(std::string_view check) {
  const CheckInputs* row = row_of(check);
  if (row == nullptr && is_meant(kEveryRight, check)) row = row_of(kEveryRight);
  return row == nullptr ? std::string_view() : row->inputs;
}

}  // namespace elbowroom::cli
