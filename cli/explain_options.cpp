#include "cli/explain_options.h"

#include <chrono>
#include <utility>

#include "api/codec/json.h"
#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "base/document_text.h"
#include "cli/answers.h"
#include "cli/input/blocking_call.h"
#include "cli/output/explanation_text.h"
#include "cli/output/group_explanation_text.h"
#include "cli/output/move_explanation_text.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

std::string tables_of(const Value& list) {
  std::vector<std::string> tables;
  for (const Value& each : list.find("items")->items) tables.push_back(text_of_explanation(each));
  return list_text(tables, list, "no pod waits for room or for a node\n");
}

std::string printed(const Value& document, OutputFormat format) {
  switch (format) {
    case OutputFormat::Table:
      return text_of_explanation(document);
    case OutputFormat::Json:
      return to_json(document);
    case OutputFormat::Yaml:
      return to_yaml(document);
  }
  return {};
}

Named kind_of(std::string_view what) { return what == "pod" ? Named::Pod : Named::PodGroup; }

}  // namespace

void add_explain_options(CLI::App& verb, const std::string& what) {
  add_valued(verb, what, what == "pod" ? "the pod" : "the pod group")
      ->type_name(name_syntax(kind_of(what)))
      ->required();
  add_namespace_option(verb, "the context's, or default with -f and --server");
  add_valued(verb, "-f,--filename",
             "answer from these objects, such as elbowroom dump prints them; repeatable")
      ->type_name("FILE|DIR|-")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_valued(verb, "--server",
             std::string("ask this daemon, such as http://127.0.0.1:") +
                 (what == "pod" ? "10361" : "10362") + ", not the cluster")
      ->type_name("URL");
  add_cluster_options(verb);
  add_output_options(verb);
}

ExplainSource open_source(const CLI::App& verb, const std::vector<std::string>& judging) {
  ExplainSource source{.files = values_of(verb, "--filename"),
                       .server = value_of(verb, "--server", "")};
  if (!source.files.empty()) {
    for (const char* option : {"--server", "--kubeconfig", "--context"}) {
      if (verb.get_option(option)->count() == 0) continue;
      stop(kExitUsage, std::string(option) + " and -f exclude each other: give one of them");
    }
    return source;
  }
  if (source.server.empty()) {
    Result<ClusterAccess> opened = open_cluster(verb);
    if (!opened) stop(kExitConfiguration, opened.error().message);
    source.cluster = std::move(*opened);
    return source;
  }
  std::vector<std::string> refused = {"--kubeconfig", "--context", "--now"};
  refused.insert(refused.end(), judging.begin(), judging.end());
  for (const std::string& option : refused) {
    if (verb.get_option(option)->count() == 0) continue;
    stop(kExitUsage, option +
                         " and --server exclude each other: the daemon judges by "
                         "its own settings");
  }
  return source;
}

ObjectName named_object(const CLI::App& verb, const std::string& what,
                        const ExplainSource& source) {
  const std::string fallback = source.cluster.ns.empty() ? "default" : source.cluster.ns;
  return object_of(verb, value_of(verb, what, ""), kind_of(what), fallback);
}

Result<Value> ask_daemon(const std::string& url, const std::string& what,
                         const ObjectName& object) {
  auto server = api::parse_server_url(url);
  if (!server) stop(kExitUsage, "--server " + url + ": " + server.error().message);
  api::CurlTransport transport({.server = *server, .is_daemon = true}, {});
  const std::string key = key_of(object);
  const Result<api::Response> answer =
      answered(transport, {.path = "/explain", .query = {{what, key}}});

  const std::string doing = "explain " + what + " " + key + " at " + api::to_string(*server);
  if (!answer) return std::unexpected(answer.error().with(doing));
  const api::Response& response = *answer;
  if (!api::is_success(response)) {
    return std::unexpected(api::error_from(response, api::Method::Get).with(doing));
  }
  Result<Value> document = parse_json(response.body);
  if (!document) return std::unexpected(document.error().with(doing));
  return document;
}

policy::Time clock_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

Value list_of_texts(const std::vector<std::string>& all) {
  std::vector<Value> values;
  for (const std::string& each : all) values.push_back(text_value(each));
  return list_value(std::move(values));
}

std::vector<std::string> notes_of(const ClusterObjects& read) {
  std::vector<std::string> notes;
  for (const DeniedRight& each : read.denied) {
    notes.push_back("not permitted: " + each.right);
  }
  for (const std::string& resource : read.absent) {
    notes.push_back("the cluster serves no " + resource + ": explained as if there were none");
  }
  return notes;
}

Result<Value> with_events(Value document, ClusterReader& reader, const std::string& ns,
                          const std::string& uid, std::vector<std::string> notes) {
  Result<std::vector<Value>> events = read_events(reader, ns, uid);
  if (!events && events.error().code == Code::Denied) {
    notes.push_back("not permitted: list events in namespace " + ns);
  } else if (!events && events.error().code != Code::NotFound) {
    return std::unexpected(events.error());
  }
  api::set_member(document, "events",
                  list_value(events ? std::move(*events) : std::vector<Value>{}));
  api::set_member(document, "notes", list_of_texts(notes));
  return document;
}

Value without_events(Value document) {
  api::set_member(document, "events", list_value({}));
  api::set_member(document, "notes", list_value({}));
  return document;
}

std::string text_of_explanation(const Value& document) {
  if (document.find("items") != nullptr) return tables_of(document);
  if (is_scheduler_explanation(document)) return scheduler_explanation_text(document);
  if (is_move_explanation(document)) return move_explanation_text(document);
  return is_group_explanation(document) ? group_explanation_text(document)
                                        : explanation_text(document);
}

void print_explanation(const Result<Value>& document, OutputFormat format) {
  if (!document) stop(exit_status_of(document.error()), document.error().message);
  print(printed(*document, format), format);
}

}  // namespace elbowroom::cli
