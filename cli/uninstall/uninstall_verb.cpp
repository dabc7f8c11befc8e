#include "base/document_text.h"
#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/simulate_options.h"
#include "cli/uninstall/uninstall.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom uninstall --dry-run\n"
    "  elbowroom uninstall --yes\n"
    "  elbowroom uninstall --dry-run -o json | jq -r '.leftovers[].object'\n"
    "\n"
    "exit status: 0 removed (or would be, or nothing is left), 1 something could not be removed,\n"
    "2 usage, 69 unreachable, 75 programs still run (--yes), 77 not permitted, 78 the kubeconfig\n"
    "cannot be used";

std::string printed(const UninstallReport& report, OutputFormat format) {
  if (format == OutputFormat::Table) return uninstall_text(report);
  const Value document = encode_uninstall(report);
  return format == OutputFormat::Json ? to_json(document) : to_yaml(document);
}

void remove_leftovers(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const bool is_dry_run = verb.get_option("--dry-run")->count() > 0;
  if (is_dry_run == (verb.get_option("--yes")->count() > 0)) {
    stop(kExitUsage, "give --dry-run, which lists what is left, or --yes, which removes it");
  }
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  ClusterWriter writer(cluster->access);
  const auto report =
      uninstall(*cluster->reader, writer,
                {.lease_namespace = value_of(verb, "--lease-namespace", "kube-system"),
                 .is_dry_run = is_dry_run,
                 .is_forced = verb.get_option("--force")->count() > 0},
                clock_time());
  if (!report) stop(exit_status_of(report.error()), report.error().message);
  print_answer(printed(*report, options->format), options->format);
  if (report->is_refused) throw CLI::RuntimeError(kExitTemporary);
  if (!report->is_done()) throw CLI::RuntimeError(kExitFailure);
}

}  // namespace

void add_uninstall(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("uninstall", "remove what the programs leave in a cluster");
  verb->add_flag("--dry-run")->description("list what is left, and change nothing");
  verb->add_flag("--yes")->description("remove it");
  verb->add_flag("--force")->description("although programs still run, which may write it again");
  add_valued(*verb, "--lease-namespace", "where the Leases are; default: kube-system")
      ->type_name("NAMESPACE");
  add_cluster_options(*verb);
  add_format_option(*verb);
  verb->footer(kFooter);
  verb->callback([verb] { remove_leftovers(*verb); });
}

}  // namespace elbowroom::cli
