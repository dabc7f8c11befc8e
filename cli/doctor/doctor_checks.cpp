#include "cli/doctor/doctor_checks.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/doctor/check_inputs.h"
#include "cli/doctor/repairs.h"

namespace elbowroom::cli {
namespace {

// "patch pods/status", "update leases.coordination.k8s.io elbowroom-scheduler in kube-system".
std::string words_of(const RightFacts& about) {
  const api::RbacRule& right = about.right;
  std::string words = std::string(right.verb) + " " + std::string(right.resource);
  if (!right.group.empty()) words += "." + std::string(right.group);
  if (!right.name.empty()) words += " " + std::string(right.name);
  if (!about.ns.empty()) words += " in " + about.ns;
  return words;
}

std::string user_of(const DoctorFacts& facts) {
  return facts.server && !facts.server->user.empty() ? facts.server->user : "it";
}

// "elbowroom-agent-patch-pods-status" with that right, bound to our user.
Commands grant(const DoctorFacts& facts, const RightFacts& about) {
  if (!facts.server || facts.server->user.empty()) return {};
  const api::RbacRule& right = about.right;
  const std::string name =
      role_of(facts) + "-" + check_of(right).substr(std::string_view("rights.").size());
  const std::string kind = about.ns.empty() ? "clusterrole" : "role";
  const std::string where = about.ns.empty() ? "" : " -n " + shell_word(about.ns);
  const std::size_t slash = std::min(right.resource.find('/'), right.resource.size());
  std::string resource(right.resource.substr(0, slash));
  if (!right.group.empty()) resource += "." + std::string(right.group);
  resource += right.resource.substr(slash);
  return {"kubectl create " + kind + " " + name + where + " --verb=" + std::string(right.verb) +
              " --resource=" + resource +
              (right.name.empty() ? "" : " --resource-name=" + std::string(right.name)),
          "kubectl create " + kind + "binding " + name + where + " --" + kind + "=" + name +
              " --user=" + shell_word(facts.server->user)};
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
  return fail(
      user_of(facts) + " may not " + words + ", and needs to: " + std::string(about.right.why),
      "give it that right, or apply the ClusterRole " + role_of(facts) +
          " again (kubectl apply -k packaging/kustomize); docs/rbac.md lists every right",
      grant(facts, about));
}

// Without a single right it is the binding that is missing.
Verdict judge_binding(const DoctorFacts& facts) {
  if (facts.rights.empty()) return skip("it needs no right");
  for (const RightFacts& each : facts.rights) {
    if (!each.allowed) return skip(each.allowed.why_not);
    if (*each.allowed) return pass(user_of(facts) + " has rights");
  }
  const std::string role = role_of(facts);
  Commands commands;
  if (facts.server && !facts.server->user.empty()) {
    const std::string user = " --user=" + shell_word(facts.server->user);
    commands = {"kubectl create clusterrolebinding " + role + "-by-doctor --clusterrole=" + role +
                user};
    if (facts.program != Program::Agent) {
      commands.push_back("kubectl create rolebinding " + role + "-by-doctor -n " +
                         shell_word(facts.lease_namespace) + " --role=" + role + user);
    }
  }
  return fail(user_of(facts) + " has none of the rights that it needs",
              "bind it to the ClusterRole " + role +
                  " (where there is none: kubectl apply -k packaging/kustomize); docs/rbac.md "
                  "lists every right",
              std::move(commands));
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

// A check of one program, before and after it was made.
struct Row {
  std::string name{};
  std::function<Verdict()> judge{};
  bool is_begun = false;  // a cycle of inputs ends there
  Verdict verdict{};
  std::string waits_for{};
};

void add(std::span<const Check> checks, const DoctorFacts& facts, std::vector<Row>& to) {
  for (const Check& check : checks) {
    if (!concerns(check.of, facts.program)) continue;
    to.push_back({std::string(check.name), [&check, &facts] { return check.judge(facts); }});
  }
}

std::vector<Row> rows_of(const DoctorFacts& facts) {
  std::vector<Row> rows;
  add(credential_checks(), facts, rows);
  add(server_checks(), facts, rows);
  rows.push_back({"rights.bound", [&facts] { return judge_binding(facts); }});
  for (const RightFacts& each : facts.rights) {
    rows.push_back({check_of(each.right), [&facts, &each] { return judge_right(facts, each); }});
  }
  add(node_checks(), facts, rows);
  add(machine_checks(), facts, rows);
  add(unit_checks(), facts, rows);
  add(webhook_checks(), facts, rows);
  return rows;
}

void make(std::vector<Row>& rows, Row& row);

// The failed check behind the first of the inputs that is broken; "": none is.
std::string broken_input(std::vector<Row>& rows, std::string_view inputs) {
  while (!inputs.empty()) {
    const std::string_view name = inputs.substr(0, inputs.find(' '));
    inputs.remove_prefix(std::min(inputs.size(), name.size() + 1));
    for (Row& row : rows) {
      if (!is_meant(name, row.name)) continue;
      make(rows, row);
      if (!row.waits_for.empty()) return row.waits_for;
      if (row.verdict.outcome == CheckOutcome::Fail) return row.name;
    }
  }
  return {};
}

void make(std::vector<Row>& rows, Row& row) {
  if (row.is_begun) return;
  row.is_begun = true;
  row.waits_for = broken_input(rows, inputs_of(row.name));
  row.verdict = row.waits_for.empty() ? row.judge() : skip("waits for check " + row.waits_for);
}

// A service that could not run because of a fault has to be started once that is repaired.
void add_restart(const DoctorFacts& facts, std::vector<Row>& rows) {
  const auto runs = std::ranges::find(rows, "unit.runs", &Row::name);
  if (runs == rows.end() || runs->waits_for.empty() || !facts.unit || facts.unit->active) return;
  const auto cause = std::ranges::find(rows, runs->waits_for, &Row::name);
  Commands& commands = cause->verdict.commands;
  const Commands last = restart(facts);
  const bool starts_it_itself = std::ranges::any_of(
      commands, [&](const std::string& each) { return each.contains(facts.unit->name); });
  if (commands.empty() || last.empty() || starts_it_itself) return;
  commands = joined_commands(std::move(commands), last);
}

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::Pass:
      return "PASS";
    case CheckOutcome::Warn:
      return "WARN";
    case CheckOutcome::Fail:
      return "FAIL";
    case CheckOutcome::Skip:
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
  std::vector<Row> rows = rows_of(facts);
  for (Row& row : rows) make(rows, row);
  add_restart(facts, rows);
  std::vector<Finding> all;
  for (Row& row : rows) {
    all.push_back({std::move(row.name), std::move(row.verdict), std::move(row.waits_for)});
  }
  return all;
}

}  // namespace elbowroom::cli
