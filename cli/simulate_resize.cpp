#include "cli/simulate_resize.h"

#include <algorithm>
#include <utility>

#include "api/codec/encode_resize_report.h"
#include "base/document_text.h"
#include "cli/answers.h"
#include "cli/input/from_cluster.h"
#include "cli/input/refused_change.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/picture_file.h"
#include "cli/output/resize_table.h"
#include "cli/pod_selection.h"
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
  if (pod == nullptr || query.changes.empty()) return {};
  const Result<policy::Pod> changed = with_changes(*pod, query.changes);
  if (!changed) return std::unexpected(changed.error());
  return check_with_api_server_rules(*pod, *changed, manifests.windows_pods.contains(key_of(*pod)),
                                     query.changes);
}

// What the answer about one pod needs; "": about all.
Result<DecodedObjects> read_cluster_for(ClusterReader& reader, const ObjectName& pod, bool warns) {
  const std::string key = pod.name.empty() ? "" : key_of(pod);
  ASSIGN_OR_RETURN(ClusterObjects read, key.empty() ? read_for_resizes(reader)
                                                    : read_around_pod(reader, pod.ns, pod.name));
  if (warns) warn_of_unread(read);
  ASSIGN_OR_RETURN(DecodedObjects all, understand(std::move(read.objects), key, reader.server()));
  all.lacks = lacks_of(read, all.manifests);
  drop_rejected_pods(all.manifests, key);
  return all;
}

// The pod and its victims.
std::vector<std::string> uids_in(const policy::ResizeReport& report) {
  std::vector<std::string> uids = {report.uid};
  for (const policy::VictimReport& each : report.preemption.victims) uids.push_back(each.uid);
  return uids;
}

PodAnswer answer_of(const policy::ResizeReport& report,
                    const std::vector<policy::CoveringBudget>& covering) {
  PodAnswer made{.document = api::encode_resize_report(report),
                 .table = resize_table(report) + covering_text(encode_covering(covering))};
  add_covering(made.document, covering);
  return made;
}

Result<PodAnswer> judge(const DecodedObjects& input, const ResizeQuery& query,
                        const SimulateOptions& options) {
  const Manifests& manifests = input.manifests;
  Result<policy::ResizeReport> report = answer(manifests, query);
  if (!report) {
    return failure(report.error().code, with_source(report.error(), options));
  }
  remove_none_on_unclear_node(*report, input.left_out);
  const policy::Time now = query.now.value_or(manifests.newest.value_or(policy::Time{}));
  return answer_of(*report, budgets_that_cover(manifests, uids_in(*report), now));
}

// One look at one pod.
Result<PodAnswer> judge_one(const CLI::App& verb, const DecodedObjects& input,
                            const ResizeQuery& query, const SimulateOptions& options) {
  if (const auto fits = check_changes(input.manifests, query); !fits) {
    stop(kExitUsage, fits.error().message);
  }
  Result<PodAnswer> made = judge(input, query, options);
  if (made && asks_for_picture(verb)) write_picture(verb, made->document);
  return made;
}

PodAnswer judge_waiting(const DecodedObjects& input, ResizeQuery query,
                        const PodSelection& selection, const SimulateOptions& options) {
  WaitingPods waiting = waiting_pods(input.manifests, selection, WaitsFor::Room);
  return answer_each(
      waiting.keys, std::move(waiting.notes),
      [&](const std::string& key) {
        query.pod = key;
        return judge(input, query, options);
      },
      "no resize waits for room\n");
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  check_selection(verb, {"--set", "--svg"});
  Result<ResizeQuery> query = query_of(verb);
  if (!query) stop(kExitUsage, query.error().message);
  query->now = options->now;
  const SimulateSource source = open_source(verb, *options);
  ObjectName pod;
  PodSelection selection;
  if (names_one_pod(verb)) {
    pod = object_of(verb, value_of(verb, "pod", ""), Named::Pod, source.ns);
    query->pod = key_of(pod);
  } else {
    selection = selection_of(verb, source.ns);
  }
  bool is_first = true;
  show_answer(verb, *options, [&]() -> Result<PodAnswer> {
    ASSIGN_OR_RETURN(const DecodedObjects input,
                     source.reader != nullptr ? read_cluster_for(*source.reader, pod, is_first)
                                              : decode_files(options->files));
    query->lacks = input.lacks;
    if (std::exchange(is_first, false)) warn_about(input);
    return pod.name.empty() ? Result<PodAnswer>(judge_waiting(input, *query, selection, *options))
                            : judge_one(verb, input, *query, *options);
  });
}

}  // namespace

Result<policy::ResizeReport> answer(const Manifests& manifests, const ResizeQuery& query) {
  ASSIGN_OR_RETURN(const ResizeSubject subject, ResizeSubject::of(manifests, query));
  return policy::report_resize(subject.question());
}

std::string printed(const policy::ResizeReport& report, OutputFormat format,
                    const std::vector<policy::CoveringBudget>& covering) {
  const PodAnswer made = answer_of(report, covering);
  if (format == OutputFormat::Table) return made.table;
  return format == OutputFormat::Json ? to_json(made.document) : to_yaml(made.document);
}

void add_simulate_resize(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "resize", "judge a pod's pending resize: the verdict, what is lacking, who would go");
  add_simulate_options(*verb);
  add_namespace_option(*verb, "the context's, or default with -f");
  add_valued(*verb, "pod", "the pod; -A and -l name several")->type_name(name_syntax(Named::Pod));
  add_selection_options(*verb);
  add_valued(*verb, "--set", "desired requests to change before; repeatable")
      ->type_name("CONTAINER:RESOURCE=QUANTITY[,...]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_judging_options(*verb);
  add_picture_option(*verb);
  verb->footer(
      "examples:\n"
      "  elbowroom simulate resize -f docs/examples/held-charge.yaml default/web\n"
      "  elbowroom simulate resize --from-cluster default/web --set app:cpu=1500m\n"
      "  elbowroom simulate resize --from-cluster -A             (all that wait for room)");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
