#include "cli/doctor/doctor_checks.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace elbowroom::cli {
namespace {

std::string role_of(const DoctorFacts& facts) {
  if (facts.program != Program::Agent) return name_of(facts.program);
  return facts.authority ? "elbowroom-agent-authority" : "elbowroom-agent";
}

// "patch pods/status", "update leases.coordination.k8s.io elbowroom-scheduler in kube-system".
std::string words_of(const RightFacts& about) {
  const api::RbacRule& right = about.right;
  std::string words = std::string(right.verb) + " " + std::string(right.resource);
  if (!right.group.empty()) words += "." + std::string(right.group);
  if (!right.name.empty()) words += " " + std::string(right.name);
  if (!about.ns.empty()) words += " in " + about.ns;
  return words;
}

Verdict judge_right(const DoctorFacts& facts, const RightFacts& about) {
  const std::string words = words_of(about);
  if (!about.allowed) return skip(about.allowed.why_not);
  if (*about.allowed) return pass("may " + words);
  const bool is_of_groups = about.right.resource.starts_with("podgroups");
  if (is_of_groups && facts.server && facts.server->pod_groups &&
      facts.server->pod_groups->empty()) {
    return skip("podgroups of scheduling.k8s.io are not served: the right is not needed");
  }
  const std::string who = facts.server && !facts.server->user.empty() ? facts.server->user : "it";
  return fail(who + " may not " + words + ", and needs to: " + std::string(about.right.why),
              "bind " + who + " to the ClusterRole " + role_of(facts) +
                  " (kubectl apply -k packaging/kustomize); docs/rbac.md lists every right");
}

bool concerns(Check::Of of, Program program) {
  switch (of) {
    case Check::Of::Agent:
      return program == Program::Agent;
    case Check::Of::Scheduler:
      return program == Program::Scheduler;
    case Check::Of::Rescheduler:
      return program == Program::Rescheduler;
    case Check::Of::Leaders:
      return program != Program::Agent;
    case Check::Of::All:
      return true;
  }
  return true;
}

void add(std::span<const Check> checks, const DoctorFacts& facts, std::vector<Finding>& to) {
  for (const Check& check : checks) {
    if (concerns(check.of, facts.program)) {
      to.push_back({std::string(check.name), check.judge(facts)});
    }
  }
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Pass:
      return "PASS";
    case Outcome::Warn:
      return "WARN";
    case Outcome::Fail:
      return "FAIL";
    case Outcome::Skip:
      return "SKIP";
  }
  return "";
}

std::string check_of(const api::RbacRule& right) {
  std::string name = "rights." + std::string(right.verb) + "-" + std::string(right.resource);
  std::ranges::replace(name, '/', '-');
  // The Lease of the circuit breaker, not the Lease of the leader election; the ConfigMap of rests,
  // not the one of the configuration.
  for (const std::string_view program : {"elbowroom-scheduler", "elbowroom-rescheduler"}) {
    if (right.name.size() > program.size() && right.name.starts_with(program)) {
      name += right.name.substr(program.size());
    }
  }
  return name;
}

std::vector<Finding> diagnose(const DoctorFacts& facts) {
  std::vector<Finding> all;
  add(credential_checks(), facts, all);
  add(server_checks(), facts, all);
  for (const RightFacts& each : facts.rights) {
    all.push_back({check_of(each.right), judge_right(facts, each)});
  }
  add(node_checks(), facts, all);
  add(machine_checks(), facts, all);
  add(webhook_checks(), facts, all);
  return all;
}

}  // namespace elbowroom::cli
