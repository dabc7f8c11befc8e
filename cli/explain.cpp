// `elbowroom explain pod`: explains why a pod has its size. It reads a cluster, or asks a daemon.
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "base/document_text.h"
#include "cli/input/blocking_call.h"
#include "cli/input/from_cluster.h"
#include "cli/input/resize_subject.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/explanation_text.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "policy/resize/explanation.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom explain pod default/web\n"
    "  elbowroom explain pod web -n default -o json\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10361   (its agent)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10362   (the scheduler)\n"
    "\n"
    "exit status: 0 explained, 1 no such pod, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig is of no use";

struct PodName {
  std::string ns{};
  std::string name{};
};

// NAMESPACE/NAME, or NAME with -n; `fallback` is the namespace when neither is given.
Result<PodName> pod_name(const CLI::App& verb, const std::string& fallback) {
  const std::string word = value_of(verb, "pod", "");
  const std::string ns = value_of(verb, "--namespace", "");
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos && !word.empty()) {
    return PodName{.ns = ns.empty() ? fallback : ns, .name = word};
  }
  if (!is_pod_key(word)) {
    return failure(Code::Invalid, "\"" + word +
                                      "\" names no pod: write NAMESPACE/NAME, or NAME -n "
                                      "NAMESPACE");
  }
  if (!ns.empty() && ns != word.substr(0, slash)) {
    return failure(Code::Invalid, "the pod is in namespace " + word.substr(0, slash) +
                                      " and -n says " + ns + ": give one of them");
  }
  return PodName{.ns = word.substr(0, slash), .name = word.substr(slash + 1)};
}

policy::Time clock_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// ---- from a cluster ----

void note_hard_budgets(const policy::Explanation& about, std::vector<std::string>& notes) {
  if (about.report.preemption.by != policy::RoomMaker::Node) return;
  for (const policy::BudgetSummary& each : about.budgets) {
    if (!each.hard) continue;
    notes.push_back(
        "hard disruption budgets hold here; elbowroomd of this version does not watch "
        "them when it makes room for a critical pod");
    return;
  }
}

void note_unclear(const policy::Explanation& about, const UndecodableObjects& left_out,
                  std::vector<std::string>& notes) {
  const auto why = left_out.unclear.find(about.report.node);
  if (why == left_out.unclear.end()) return;
  notes.push_back(why->second +
                  "; the rest is explained as if there were no such pod, but the scheduler removes "
                  "nobody on node " +
                  why->first + " while that is so");
}

Value list_of_texts(const std::vector<std::string>& all) {
  std::vector<Value> values;
  for (const std::string& each : all) values.push_back(text_value(each));
  return list_value(std::move(values));
}

Result<Value> explain_from(ClusterReader& reader, const PodName& pod, ResizeQuery query) {
  query.pod = pod.ns + "/" + pod.name;
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_pod(reader, pod.ns, pod.name));
  ASSIGN_OR_RETURN(DecodedObjects understood,
                   understand(std::move(read.objects), query.pod, reader.server()));
  drop_rejected_pods(understood.manifests, query.pod);
  warn_of(understood.left_out);
  warn_of_odd_groups(understood.manifests);
  ASSIGN_OR_RETURN(const ResizeSubject subject, ResizeSubject::of(understood.manifests, query));
  const policy::ResizeQuestion question = subject.question();
  policy::ResizeReport report = policy::report_resize(question);
  remove_none_on_unclear_node(report, understood.left_out);
  const policy::Explanation about = policy::explain(question, std::move(report));

  std::vector<std::string> notes;
  for (const std::string& right : read.denied) {
    notes.push_back("not permitted: " + right + ": explained as if there were none");
  }
  for (const std::string& resource : read.absent) {
    notes.push_back("the cluster serves no " + resource + ": explained as if there were none");
  }
  note_unclear(about, understood.left_out, notes);
  note_hard_budgets(about, notes);
  Result<std::vector<Value>> events = read_events(reader, pod.ns, about.report.uid);
  if (!events && events.error().code == Code::Denied) {
    notes.push_back("not permitted: list events in namespace " + pod.ns);
  } else if (!events && events.error().code != Code::NotFound) {
    return std::unexpected(events.error());
  }
  Value document = api::encode_explanation(about);
  api::set_member(document, "events",
                  list_value(events ? std::move(*events) : std::vector<Value>{}));
  api::set_member(document, "notes", list_of_texts(notes));
  return document;
}

// ---- from a daemon ----

Result<Value> ask_daemon(const std::string& url, const PodName& pod) {
  auto server = api::parse_server_url(url);
  if (!server) stop(kExitUsage, "--server " + url + ": " + server.error().message);
  api::CurlTransport transport({.server = *server}, {});
  const std::string key = pod.ns + "/" + pod.name;
  const Result<api::Response> answer =
      answered(transport, {.path = "/explain", .query = {{"pod", key}}});

  const std::string doing = "explain pod " + key + " at " + api::to_string(*server);
  if (!answer) {
    Error error = answer.error().with(doing);
    error.message += "; is the daemon up, and does it listen there (--listen)?";
    return std::unexpected(std::move(error));
  }
  const api::Response& response = *answer;
  if (!api::is_success(response)) {
    return std::unexpected(api::error_from(response, api::Method::Get).with(doing));
  }
  Result<Value> document = parse_json(response.body);
  if (document && is_scheduler_explanation(*document)) return document;
  if (document) document = api::as_explanation(std::move(*document));
  if (!document) return std::unexpected(document.error().with(doing));
  api::set_member(*document, "events", list_value({}));
  api::set_member(*document, "notes", list_value({}));
  return document;
}

// Refuses options that apply only when this program decides.
void refuse_beside_server(const CLI::App& verb) {
  for (const char* option :
       {"--kubeconfig", "--context", "--now", "--rules", "--critical-preemption",
        "--cpu-manager-policy", "--memory-manager-policy"}) {
    if (verb.get_option(option)->count() == 0) continue;
    stop(kExitUsage, std::string(option) +
                         " and --server exclude each other: the daemon judges by "
                         "its own settings");
  }
}

std::string printed(const Value& document, OutputFormat format) {
  switch (format) {
    case OutputFormat::Table:
      return is_scheduler_explanation(document) ? scheduler_explanation_text(document)
                                                : explanation_text(document);
    case OutputFormat::Json:
      return to_json(document);
    case OutputFormat::Yaml:
      return to_yaml(document);
  }
  return {};
}

void explain_pod(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const std::string server = value_of(verb, "--server", "");
  std::string fallback = "default";
  ClusterAccess cluster;
  if (server.empty()) {
    Result<ClusterAccess> opened = open_cluster(verb);
    if (!opened) stop(kExitConfiguration, opened.error().message);
    cluster = std::move(*opened);
    fallback = cluster.ns;
  } else {
    refuse_beside_server(verb);
  }
  const Result<PodName> pod = pod_name(verb, fallback);
  if (!pod) stop(kExitUsage, pod.error().message);

  ResizeQuery query{.now = options->now.value_or(clock_time())};
  take_judging_options(verb, query);
  const Result<Value> document =
      server.empty() ? explain_from(*cluster.reader, *pod, query) : ask_daemon(server, *pod);
  if (!document) stop(exit_status_of(document.error()), document.error().message);
  if (!print(printed(*document, options->format))) {
    stop(kExitFailure, "standard output takes no more");
  }
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* explain = app.add_subcommand("explain", "say why; nothing is written");
  explain->require_subcommand(1);
  CLI::App* verb = explain->add_subcommand(
      "pod", "why a pod is the size it is, who holds the room, what would help, what comes next");
  add_valued(*verb, "pod", "the pod")->type_name("NAMESPACE/NAME | NAME")->required();
  add_valued(*verb, "-n,--namespace", "the pod's namespace; default: the context's")
      ->type_name("NAMESPACE");
  add_valued(*verb, "--server", "ask this daemon, such as http://127.0.0.1:10361, not the cluster")
      ->type_name("URL");
  add_cluster_options(*verb);
  add_output_options(*verb);
  add_judging_options(*verb);
  verb->footer(kFooter);
  explain->footer(kFooter);
  verb->callback([verb] { explain_pod(*verb); });
}

}  // namespace elbowroom::cli
