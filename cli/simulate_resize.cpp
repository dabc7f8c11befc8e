#include "cli/simulate_resize.h"

#include <algorithm>
#include <utility>

#include "api/codec/encode_resize_report.h"
#include "base/document_text.h"
#include "cli/input/from_cluster.h"
#include "cli/input/refused_change.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/picture_file.h"
#include "cli/output/resize_table.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

Result<ResizeQuery> query_of(const CLI::App& verb) {
  ResizeQuery query;
  for (const std::string& set : values_of(verb, "--set")) {
    ASSIGN_OR_RETURN(std::vector<ResourceChange> changes, parse_changes(set));
    std::ranges::move(changes, std::back_inserter(query.changes));
  }
  take_judging_options(verb, query);
  return query;
}

// A change that no API server accepts is an error of the command line, not of the input.
Result<void> check_changes(const Manifests& manifests, const ResizeQuery& query) {
  const policy::Pod* pod = find_pod(manifests, query.pod);
  if (pod == nullptr) return {};
  const Result<policy::Pod> changed = with_changes(*pod, query.changes);
  if (!changed) return std::unexpected(changed.error());
  return check_with_api_server_rules(*pod, *changed, query.changes);
}

Result<DecodedObjects> read_cluster_for(ClusterReader& reader, const ObjectName& pod) {
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_pod(reader, pod.ns, pod.name));
  warn_of_unread(read);
  ASSIGN_OR_RETURN(DecodedObjects all,
                   understand(std::move(read.objects), key_of(pod), reader.server()));
  all.lacks = lacks_of(read, all.manifests);
  drop_rejected_pods(all.manifests, key_of(pod));
  return all;
}

// The pod and its victims.
std::vector<std::string> uids_in(const policy::ResizeReport& report) {
  std::vector<std::string> uids = {report.uid};
  for (const policy::VictimReport& each : report.preemption.victims) uids.push_back(each.uid);
  return uids;
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  Result<ResizeQuery> query = query_of(verb);
  if (!query) stop(kExitUsage, query.error().message);
  query->now = options->now;
  const SimulateSource source = open_source(verb, *options);
  const ObjectName pod = object_of(verb, value_of(verb, "pod", ""), Named::Pod, source.ns);
  query->pod = key_of(pod);
  const Result<DecodedObjects> input = source.reader != nullptr
                                           ? read_cluster_for(*source.reader, pod)
                                           : decode_files(options->files);
  if (!input) {
    stop(options->from_cluster ? exit_status_of(input.error()) : kExitFailure,
         input.error().message);
  }
  const Manifests& manifests = input->manifests;
  query->lacks = input->lacks;
  warn_of(input->left_out);
  warn_of_unknown_kinds(manifests);
  warn_of_odd_terms(manifests);
  warn_of_odd_groups(manifests);
  if (const auto fits = check_changes(manifests, *query); !fits) {
    stop(kExitUsage, fits.error().message);
  }
  Result<policy::ResizeReport> report = answer(manifests, *query);
  if (!report) stop(kExitFailure, with_source(report.error(), *options));
  remove_none_on_unclear_node(*report, input->left_out);
  if (asks_for_picture(verb)) write_picture(verb, api::encode_resize_report(*report));
  const policy::Time now = query->now.value_or(manifests.newest.value_or(policy::Time{}));
  print(printed(*report, options->format, budgets_that_cover(manifests, uids_in(*report), now)),
        options->format);
}

}  // namespace

Result<policy::ResizeReport> answer(const Manifests& manifests, const ResizeQuery& query) {
  ASSIGN_OR_RETURN(const ResizeSubject subject, ResizeSubject::of(manifests, query));
  return policy::report_resize(subject.question());
}

std::string printed(const policy::ResizeReport& report, OutputFormat format,
                    const std::vector<policy::CoveringBudget>& covering) {
  if (format == OutputFormat::Table) {
    return resize_table(report) + covering_text(encode_covering(covering));
  }
  Value document = api::encode_resize_report(report);
  add_covering(document, covering);
  return format == OutputFormat::Json ? to_json(document) : to_yaml(document);
}

void add_simulate_resize(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "resize", "judge a pod's pending resize: the verdict, what is lacking, who would go");
  add_simulate_options(*verb);
  add_namespace_option(*verb, "the context's, or default with -f");
  add_valued(*verb, "pod", "the pod")->type_name(name_syntax(Named::Pod))->required();
  add_valued(*verb, "--set", "desired requests to change before; repeatable")
      ->type_name("CONTAINER:RESOURCE=QUANTITY[,...]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_judging_options(*verb);
  add_picture_option(*verb);
  verb->footer(
      "examples:\n"
      "  elbowroom simulate resize -f docs/examples/held-charge.yaml default/web\n"
      "  elbowroom simulate resize --from-cluster default/web --set app:cpu=1500m");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
