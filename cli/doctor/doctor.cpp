// `elbowroom doctor`: finds what is wrong with one of the daemons, on this machine and at the
// API server, and how to fix it. It writes nothing.
#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "agent/worker/agent_rbac.h"
#include "api/transport/kubeconfig.h"
#include "base/document_text.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/doctor_cluster.h"
#include "cli/doctor/doctor_machine.h"
#include "cli/doctor/doctor_report.h"
#include "cli/doctor/doctor_setup.h"
#include "cli/doctor/doctor_webhook.h"
#include "cli/input/from_cluster.h"
#include "cli/output/progress.h"
#include "cli/output/screen.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "rescheduler/rescheduler_rbac.h"
#include "scheduler/scheduler_rbac.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom doctor                                      (on a node, as root: its agent)\n"
    "  elbowroom doctor --program scheduler -o json\n"
    "  elbowroom doctor --config /etc/elbowroom/config.yaml --mode authority\n"
    "\n"
    "It reads, asks what it may do, and sends one dry run; nothing is written. Without a\n"
    "configuration or a unit of the program on this machine it judges the cluster alone; with a\n"
    "--kubeconfig of the program's service account also its rights.\n"
    "\n"
    "exit status: 0 nothing FAILs, 1 something does, 2 usage";

Program program_of(std::string_view name) {
  if (name == "scheduler") return Program::Scheduler;
  return name == "rescheduler" ? Program::Rescheduler : Program::Agent;
}

DoctorOptions ask_of(const CLI::App& verb) {
  return {.program = program_of(value_of(verb, "--program", "agent")),
          .config = value_of(verb, "--config", ""),
          .kubeconfig = value_of(verb, "--kubeconfig", ""),
          .context = value_of(verb, "--context", ""),
          .node = value_of(verb, "--node", ""),
          .mode = value_of(verb, "--mode", "")};
}

std::span<const api::RbacRule> rights_of(const DoctorFacts& facts) {
  if (facts.program == Program::Scheduler) return scheduler::kRights;
  if (facts.program == Program::Rescheduler) return rescheduler::kRights;
  if (facts.authority) return agent::kAuthorityRights;
  return agent::kCompanionRights;
}

// Whether a person looks at a cluster from elsewhere: the program is not on this machine, and
// neither its configuration nor its Node was named.
bool is_away(const DoctorOptions& ask, const Setup& setup) {
  return !setup.is_here && (ask.config + ask.node).empty();
}

// This machine is no node of the program, and the credentials are not the program's unless they are
// a service account's.
void judge_cluster_alone(const DoctorOptions& ask, DoctorFacts& facts) {
  facts.away = true;
  const std::string name = name_of(facts.program);
  if (facts.program == Program::Agent) {
    facts.node = Look<NodeFacts>::not_seen("no " + name +
                                           " is set up on this machine; --node names its Node");
  }
  const bool is_account = facts.server && facts.server->user.starts_with("system:serviceaccount:");
  if (is_account && !ask.kubeconfig.empty()) return;
  const std::string yours =
      "these credentials are yours; --kubeconfig with a token of " + name + " judges its rights";
  facts.may_do_all = Look<bool>::not_seen(yours);
  for (RightFacts& each : facts.rights) each.allowed = Look<bool>::not_seen(yours);
}

DoctorFacts look(const DoctorOptions& ask) {
  const MachinePlaces places;
  DoctorFacts facts{
      .own_version = ELBOWROOM_VERSION,
      .now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())};
  const Setup setup = read_setup_facts(ask, places, api::api_environment(), facts);
  const bool away = is_away(ask, setup);
  const ClusterQuestions questions{.node = away ? "" : setup.agent.reactor.node_name,
                                   .lease_namespace = facts.lease_namespace,
                                   .lease = name_of(facts.program),
                                   .rights = rights_of(facts)};
  if (setup.access) {
    read_cluster_facts(*setup.access, questions, facts);
  } else {
    skip_cluster("there is no kubeconfig that could be used", questions, facts);
  }
  if (away) judge_cluster_alone(ask, facts);
  if (facts.program == Program::Rescheduler) {
    const bool answers = facts.server && !facts.server->connection && !facts.server->login;
    facts.webhook = answers ? Look(webhook_facts(*setup.access, setup.settings))
                            : Look<WebhookFacts>::not_seen("the API server does not answer");
  }
  progress().tell("looking at this machine");
  read_machine_facts(setup, places, facts);
  return facts;
}

std::string printed(const DoctorFacts& facts, const std::vector<Finding>& findings,
                    const std::string& format, ShownChecks shown) {
  if (format == "json") return to_json(diagnosis(facts, findings));
  if (format == "yaml") return to_yaml(diagnosis(facts, findings));
  return painted(diagnosis_text(facts, findings, shown));
}

void doctor(const CLI::App& verb) {
  const DoctorOptions ask = ask_of(verb);
  if (ask.program != Program::Agent && !(ask.node + ask.mode).empty()) {
    stop(kExitUsage, "--node and --mode are an agent's: leave them out with --program " +
                         value_of(verb, "--program", ""));
  }
  const DoctorFacts facts = look(ask);
  const std::vector<Finding> findings = diagnose(facts);
  print(printed(
      facts, findings, value_of(verb, "--output", "table"),
      verb.get_option("--verbose")->count() > 0 ? ShownChecks::Every : ShownChecks::Faults));
  const bool fails = std::ranges::any_of(
      findings, [](const Finding& each) { return each.verdict.outcome == CheckOutcome::Fail; });
  if (fails) throw CLI::RuntimeError(kExitFailure);
}

}  // namespace

void add_doctor(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "doctor", "find what is wrong with an agent, a scheduler or a rescheduler, and what to do");
  add_valued(*verb, "--program",
             "whose doctor: the node's agent (default), the scheduler or the rescheduler")
      ->type_name("PROGRAM")
      ->check(CLI::IsMember({"agent", "scheduler", "rescheduler"}));
  add_valued(*verb, "--config", "its configuration; default: the file in /etc/elbowroom, if any")
      ->type_name("FILE");
  add_cluster_options(*verb);
  verb->get_option("--kubeconfig")
      ->description(
          "the kubeconfig; default: the one of its configuration, KUBECONFIG, "
          "~/.kube/config");
  add_valued(*verb, "--node", "the name of the agent's Node; default: as the agent finds it")
      ->type_name("NAME");
  add_valued(*verb, "--mode", "the agent's mode; default: of its unit, or its configuration")
      ->type_name("MODE")
      ->check(CLI::IsMember({"companion", "authority"}));
  add_format_option(*verb);
  verb->add_flag("-v,--verbose")->description("every check in a table");
  verb->footer(kFooter);
  verb->callback([verb] { doctor(*verb); });
}

}  // namespace elbowroom::cli
