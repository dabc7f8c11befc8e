// Checks of the Node, its policy, and other programs that make room or resize.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "api/watch/server_version.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/known_versions.h"
#include "cli/doctor/repairs.h"
#include "cli/output/joined.h"

namespace elbowroom::cli {
namespace {

// 33 for "v1.33.2"; nothing if it is not a version of Kubernetes 1.
std::optional<int> minor_of(std::string_view version) {
  constexpr std::string_view kMajor = "v1.";
  if (!version.starts_with(kMajor)) return std::nullopt;
  version.remove_prefix(kMajor.size());
  int minor = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), minor);
  return error == std::errc{} ? std::optional(minor) : std::nullopt;
}

// "" if the Node was read.
std::string no_node_reason(const DoctorFacts& facts) {
  if (!facts.node) return facts.node.why_not;
  return facts.node->exists ? "" : "there is no Node " + facts.node->name;
}

Verdict node_there(const DoctorFacts& facts) {
  if (!facts.node) return skip(facts.node.why_not);
  const NodeFacts& node = *facts.node;
  if (node.exists) return pass("there is a Node " + node.name);
  return fail("there is no Node " + node.name +
                  (node.near.empty() ? "" : "; did you mean " + node.near + "?"),
              "set nodeName to the name that kubectl get nodes shows for this machine",
              node.near.empty() ? Commands() : set_key(facts, "nodeName", node.near));
}

Verdict node_ready(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  if (facts.node->ready) return pass("it is Ready");
  return warn("Node " + facts.node->name + " is not Ready: nobody is removed there",
              "look at its conditions (kubectl describe node " + facts.node->name +
                  ") and at the kubelet's log");
}

Verdict kubelet_new_enough(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  const NodeFacts& node = *facts.node;
  if (facts.authority) return skip("not used in mode authority");
  const std::optional<int> minor = minor_of(node.kubelet);
  if (!minor) return skip("the Node does not say its kubelet's version");
  if (*minor < api::kFirstMinorThatResizes) {
    return fail("the kubelet is " + node.kubelet + ": kubelets resize pods in place from 1.33 on",
                "upgrade the kubelet, or run elbowroomd in mode authority in its place");
  }
  std::string said = "the kubelet is " + node.kubelet;
  const KnownVersion* const known = known_version(*minor);
  if (known == nullptr || known->run.empty()) said += ", which was not run";
  if (known != nullptr && !known->kubelet_lacks.empty()) {
    said += "; it lacks " + std::string(known->kubelet_lacks);
  }
  return pass(said);
}

// Upstream's skew policy.
Verdict kubelet_not_newer(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  if (facts.authority) return skip("not used in mode authority");
  const std::optional<int> minor = minor_of(facts.node->kubelet);
  if (!minor || !facts.server || facts.server->version.empty()) {
    return skip("one of the two does not say its version");
  }
  if (*minor <= facts.server->minor) return pass("it is no newer than the API server");
  return warn("the kubelet (" + facts.node->kubelet + ") is newer than the API server (" +
                  facts.server->version + "), which Kubernetes does not support",
              "upgrade the control plane first");
}

Verdict owners_well_formed(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  const NodeFacts& node = *facts.node;
  if (node.malformed.empty()) return pass("its owners are label keys");
  return warn("Node " + node.name +
                  " has owners in its policy that are no label keys, or are one "
                  "too many: " +
                  joined(node.malformed),
              "kubectl edit node " + node.name +
                  ": write owners as example.com/owner, at most 20; they count as they are");
}

Verdict policy_allows(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  const NodeFacts& node = *facts.node;
  if (node.owners.empty()) return pass("nobody forbids preemption for resizes");
  // Source: measured, kubelet 1.37.0 with default gates (docs/compatibility.md).
  const std::string kubelet =
      facts.authority ? ""
                      : "; the kubelet preempts for resizes of critical Pods all the same, unless "
                        "its own gate InPlacePodVerticalScalingSchedulerPreemption is on (off by "
                        "default)";
  return warn("preemption for resizes is forbidden on Node " + node.name + " by " +
                  joined(node.owners) + kubelet,
              "if that is not meant, take the owner out of spec.podPreemptionPolicy, and of the "
              "annotation elbowroom.dev/disable-resize-preemption");
}

// This annotation decides which of the two programs preempts for critical pods.
Verdict node_annotation_matches(const DoctorFacts& facts) {
  if (const std::string why = no_node_reason(facts); !why.empty()) return skip(why);
  if (facts.authority || !facts.node->removes_itself) {
    return pass("its annotation elbowroom.dev/critical-preemption is as the mode wants it");
  }
  return warn("Node " + facts.node->name +
                  " says that an agent in authority removes pods for critical ones there, and "
                  "this one is a companion: schedulers leave these pods alone for 30 s",
              "start elbowroomd, which takes it away, or take it away",
              {"kubectl annotate node " + shell_word(facts.node->name) +
               " elbowroom.dev/critical-preemption-"});
}

// Both answers are valid; only a setting that contradicts them is a fault.
Verdict policy_field(const DoctorFacts& facts) {
  if (!facts.keeps_policy) return skip(facts.keeps_policy.why_not);
  if (!*facts.keeps_policy) {
    return pass(
        "the API server drops podPreemptionPolicy: the annotation "
        "elbowroom.dev/disable-resize-preemption says a node's policy");
  }
  if (facts.program == Program::Scheduler && facts.never_yields) {
    return warn(
        "the API server keeps podPreemptionPolicy, so kube-scheduler may make room for the "
        "same resizes, and yieldTo is empty: two may remove pods for one",
        "leave yieldTo out, or name the schedulers that do it");
  }
  if (facts.authority && facts.critical_preemption.value_or(false)) {
    return warn(
        "the API server keeps podPreemptionPolicy, so a scheduler makes room for critical "
        "pods too, and criticalPreemption is true: two may remove pods for one",
        "leave criticalPreemption out: then the agent leaves it to the scheduler");
  }
  return pass("the API server keeps podPreemptionPolicy");
}

// With its gate on it makes room itself; the gate should be off when the server drops the field.
Verdict other_schedulers(const DoctorFacts& facts) {
  if (!facts.preemptors) return skip(facts.preemptors.why_not);
  const std::vector<std::string>& gated = facts.preemptors->gated;
  if (gated.empty()) return pass("no kube-scheduler seen that makes room for resizes");
  const bool is_known = facts.keeps_policy && *facts.keeps_policy;
  if (is_known && !facts.never_yields) {
    return pass(joined(gated) + " makes room for resizes too, and is yielded to");
  }
  if (is_known) return skip("see server.policy-field");
  return warn(joined(gated) +
                  " has the gate InPlacePodVerticalScalingSchedulerPreemption, and the API server "
                  "has not: it makes room too, and nobody yields to it",
              "open the gate at the API server as well, or close it there, or set yieldTo: "
              "default-scheduler");
}

constexpr std::size_t kMostNamed = 3;

Verdict updaters(const DoctorFacts& facts) {
  if (!facts.preemptors) return skip(facts.preemptors.why_not);
  const std::vector<std::string>& found = facts.preemptors->updaters;
  if (found.empty()) return pass("no VPA updater seen");
  // VPA 1.8.1: lastInPlaceAttemptTimeMap is never cleared.
  const std::string gives_up =
      "the VPA updater " + joined(found) +
      " evicts a pod whose resize is still Deferred 5 minutes after one of its resizes first "
      "waited, unless its VPA's mode is InPlace";
  std::vector<std::string> slow = facts.preemptors->slow;
  if (slow.empty()) return pass(gives_up + "; no pod seen has so long a grace period");
  if (const std::size_t all = slow.size(); all > kMostNamed) {
    slow.resize(kMostNamed);
    slow.push_back(std::to_string(all - kMostNamed) + " more");
  }
  return warn(gives_up + "; as victims these may leave too late for it: " + joined(slow),
              "give them a shorter terminationGracePeriodSeconds, or the VPAs updateMode: InPlace");
}

Verdict deschedulers(const DoctorFacts& facts) {
  if (!facts.preemptors) return skip(facts.preemptors.why_not);
  const std::vector<std::string>& found = facts.preemptors->deschedulers;
  if (found.empty()) return pass("no descheduler seen");
  return warn("the descheduler " + joined(found) +
                  " evicts by requests in the spec, and does not know what resized pods hold",
              "let PodDisruptionBudgets cover what must stay, and keep its thresholds far apart");
}

Verdict leads(const DoctorFacts& facts) {
  if (!facts.lease) return skip(facts.lease.why_not);
  const LeaseFacts& lease = *facts.lease;
  if (!lease.exists) return pass("nobody has led yet");
  if (lease.expired || lease.holder.empty()) {
    return warn(
        "nobody leads: the Lease " + name_of(facts.program) + " in " + facts.lease_namespace +
            (lease.holder.empty() ? " has no holder" : " was not renewed by " + lease.holder),
        "start " + name_of(facts.program) +
            "; one that runs says in /readyz?verbose why it does not lead");
  }
  return pass(lease.holder + " leads");
}

constexpr std::array kChecks = {
    Check{"node.there", Check::Of::Agent, node_there},
    Check{"node.ready", Check::Of::Agent, node_ready},
    Check{"node.kubelet", Check::Of::Agent, kubelet_new_enough},
    Check{"node.kubelet-skew", Check::Of::Agent, kubelet_not_newer},
    Check{"node.policy", Check::Of::Agent, policy_allows},
    Check{"node.policy-owners", Check::Of::Agent, owners_well_formed},
    Check{"node.critical-preemption", Check::Of::Agent, node_annotation_matches},
    Check{"server.policy-field", Check::Of::All, policy_field},
    Check{"beside.kube-scheduler", Check::Of::All, other_schedulers},
    Check{"beside.vpa", Check::Of::All, updaters},
    Check{"beside.descheduler", Check::Of::All, deschedulers},
    Check{"scheduler.lease", Check::Of::Leaders, leads},
};

}  // namespace

std::span<const Check> node_checks() { return kChecks; }

}  // namespace elbowroom::cli
