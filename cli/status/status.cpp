// `elbowroom status`: a cluster in one screen.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "api/codec/decode_budget.h"
#include "base/document_text.h"
#include "cli/explain_options.h"
#include "cli/follow.h"
#include "cli/input/from_cluster.h"
#include "cli/interruption.h"
#include "cli/simulate_options.h"
#include "cli/status/cluster_status.h"
#include "cli/status/status_document.h"
#include "cli/verbs.h"
#include "daemon/program/stop_signals.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom status\n"
    "  elbowroom status --wait 5m && kubectl get pods\n"
    "  elbowroom status -o json | jq -r '.waiting[].pod'\n"
    "\n"
    "exit status: 0 no resize waits and nothing is wrong (and always with -o json or yaml),\n"
    "1 something is wrong, 2 usage, 69 unreachable, 75 resizes wait, 77 not permitted, 78 the\n"
    "kubeconfig cannot be used";

ClusterStatus looked(ClusterReader& reader, const CLI::App& verb) {
  Result<ClusterStatus> status =
      read_status(reader, value_of(verb, "--lease-namespace", "kube-system"), clock_time());
  if (!status) stop(exit_status_of(status.error()), status.error().message);
  return *std::move(status);
}

// Looks at the pods alone until no resize waits, or the time is over. What fails on the way is
// tried again. A list of a large cluster takes its time: it is a tenth of the wait at most.
void await(ClusterReader& reader, std::chrono::seconds patience) {
  using Clock = std::chrono::steady_clock;
  if (const auto blocked = daemon::block_stop_signals(); !blocked) {
    stop(kExitFailure, blocked.error().message);
  }
  Interruption interruption([] {});
  interruption.serve();
  const auto end = Clock::now() + patience;
  bool is_told = false;
  while (true) {
    const auto began = Clock::now();
    const Result<bool> waits = still_waits(reader);
    if (waits && !*waits) return;
    if (!waits && waits.error().code == Code::Denied) return;
    if (!waits && !std::exchange(is_told, true)) {
      complain(waits.error().message + "; it is tried again");
    }
    const auto pause = pause_after(Clock::now() - began);
    if (Clock::now() + pause >= end) return;
    const daemon::StopSignal signal =
        interruption.wait(std::chrono::ceil<std::chrono::milliseconds>(pause));
    if (signal != daemon::StopSignal::None) end_by(signal);
  }
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  std::chrono::seconds patience{0};
  if (verb.get_option("--wait")->count() > 0) {
    const auto wait = api::parse_duration(value_of(verb, "--wait", ""));
    if (!wait) stop(kExitUsage, "--wait: " + wait.error().message);
    patience = *wait;
  }
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  if (patience.count() > 0) await(*cluster->reader, patience);
  const ClusterStatus status = looked(*cluster->reader, verb);
  if (options->format != OutputFormat::Table) {
    const Value document = encode_status(status);
    print(options->format == OutputFormat::Json ? to_json(document) : to_yaml(document));
    return;
  }
  print_answer(status_text(status, verb.get_option("--all")->count() > 0), options->format);
  if (!status.wrong.empty()) throw CLI::RuntimeError(kExitFailure);
  if (waits(status.overview)) throw CLI::RuntimeError(kExitTemporary);
}

}  // namespace

void add_status(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "status", "a cluster in one screen: who leads, which resizes wait, what is wrong");
  add_cluster_options(*verb);
  add_format_option(*verb);
  add_valued(*verb, "--wait", "look again until no resize waits, at most so long")
      ->type_name("DURATION");
  add_valued(*verb, "--lease-namespace", "where the Leases are; default: kube-system")
      ->type_name("NAMESPACE");
  verb->add_flag("--all")->description("all rows of the tables, not only 30");
  verb->footer(kFooter);
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
