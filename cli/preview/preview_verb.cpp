// `elbowroom preview`: what would happen in a cluster if Elbowroom were installed now.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/document_text.h"
#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/preview/encode_preview.h"
#include "cli/preview/preview.h"
#include "cli/preview/preview_text.h"
#include "cli/simulate_options.h"
#include "cli/status/cluster_status.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

// The cluster of the kubeconfig, unless files are given.
SimulateOptions preview_options_of(const CLI::App& verb) {
  if (values_of(verb, "--filename").empty()) {
    Result<SimulateOptions> options = output_options_of(verb);
    if (!options) stop(kExitUsage, options.error().message);
    options->from_cluster = true;
    return *std::move(options);
  }
  Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  return *std::move(options);
}

void warn_of_objects(const DecodedObjects& objects) {
  warn_of(objects.left_out);
  warn_of_unknown_kinds(objects.manifests);
  warn_of_odd_terms(objects.manifests);
  warn_of_odd_groups(objects.manifests);
}

Preview preview_files(const SimulateOptions& options) {
  const Result<DecodedObjects> objects = decode_files(options.files);
  if (!objects) stop(kExitFailure, objects.error().message);
  warn_of_objects(*objects);
  return preview_of({.objects = *objects, .now = options.now});
}

Preview preview_cluster(const CLI::App& verb, const SimulateOptions& options) {
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  ClusterReader& reader = *cluster->reader;
  Result<ClusterObjects> read = read_what_is_permitted(reader);
  if (!read) stop(exit_status_of(read.error()), read.error().message);
  for (const std::string& resource : read->absent) {
    complain("the cluster serves no " + resource + ": judged as if there were none");
  }
  Result<DecodedObjects> objects = understand(std::move(read->objects), "", reader.server());
  if (!objects) stop(kExitFailure, objects.error().message);
  objects->lacks = lacks_of(*read, objects->manifests);
  warn_of_objects(*objects);
  const policy::Time now = options.now.value_or(reader.server_time().value_or(clock_time()));
  Preview made = preview_of({.objects = *objects, .denied = std::move(read->denied), .now = now});
  made.server = reader.server();
  for (const LeaderStatus& each :
       read_leaders(reader, "kube-system", reader.server_time().value_or(clock_time()))) {
    if (!each.exists) continue;
    made.installed.push_back(each.program + (each.leads() ? " leads" : " does not lead"));
  }
  made.requests = reader.calls();
  return made;
}

void run(const CLI::App& verb) {
  const SimulateOptions options = preview_options_of(verb);
  const Preview preview =
      options.from_cluster ? preview_cluster(verb, options) : preview_files(options);
  if (options.format == OutputFormat::Table) return print(preview_text(preview));
  const Value document = encode_preview(preview);
  print(options.format == OutputFormat::Json ? to_json(document) : to_yaml(document));
}

}  // namespace

void add_preview(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "preview", "what would happen in your cluster if Elbowroom were installed; it only reads");
  add_simulate_options(*verb);
  verb->get_option("--from-cluster")->description("read from the cluster, as without -f");
  verb->footer(
      "examples:\n"
      "  elbowroom preview\n"
      "  elbowroom preview -f docs/examples/held-charge.yaml\n"
      "  elbowroom preview -o json\n"
      "\n"
      "exit status: 0 whatever would happen, 1 the objects cannot be understood, 2 usage,\n"
      "69 unreachable, 77 neither nodes nor pods may be listed, 78 the kubeconfig cannot be used");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
