// `elbowroom dump`: the objects that decisions are made of, in one file.
#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/watch/server_version.h"
#include "base/document_text.h"
#include "cli/dump/daemon_report.h"
#include "cli/dump/redacted.h"
#include "cli/input/fetched_page.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kPatience{5};

Shown shown_by(const CLI::App& verb) {
  Shown shown;
  for (const std::string& what : values_of(verb, "--with")) {
    shown.annotations = shown.annotations || what == "annotations";
    shown.environment = shown.environment || what == "environment";
    shown.images = shown.images || what == "images";
  }
  return shown;
}

// "v1.37.0"; "": the API server does not say.
std::string version_of(const api::Access& cluster) {
  const auto page = fetched_page(cluster, "/version", kPatience);
  return page ? api::server_version_from(page->body).text : "";
}

Value list_of(std::vector<Value> objects, const std::string& server_version) {
  return map_value(
      {member("apiVersion", text_value("v1")), member("kind", text_value("List")),
       member("metadata", map_value({member("elbowroomVersion", text_value(ELBOWROOM_VERSION)),
                                     member("serverVersion", text_value(server_version))})),
       member("items", list_value(std::move(objects)))});
}

// What was asked for by name and cannot be had is said; the rest is worth having without it.
void add_reports(const CLI::App& verb, const char* option,
                 Result<Value> (*report)(const std::string&), std::vector<Value>& objects) {
  for (const std::string& each : values_of(verb, option)) {
    Result<Value> made = report(each);
    if (made) objects.push_back(std::move(*made));
    if (!made) complain(std::string(option) + " " + each + ": " + made.error().message);
  }
}

void run(const CLI::App& verb) {
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  Result<ClusterObjects> read = read_what_is_permitted(*cluster->reader);
  if (!read) stop(exit_status_of(read.error()), read.error().message);
  warn_of_unread(*read);
  const Shown shown = shown_by(verb);
  for (Value& each : read->objects) each = redacted(std::move(each), shown);
  add_reports(verb, "--server", daemon_report, read->objects);
  add_reports(verb, "--recording", recording_report, read->objects);
  const Value list = list_of(std::move(read->objects), version_of(cluster->access));
  print(value_of(verb, "--output", "yaml") == "json" ? to_json(list) : to_yaml(list));
}

}  // namespace

void add_dump(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "dump", "print the objects that decisions are made of, without what may be secret");
  add_cluster_options(*verb);
  add_valued(*verb, "-o,--output", "json or yaml (default)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "yaml"}));
  add_valued(*verb, "--with", "annotations, environment or images, which are left out; repeatable")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"annotations", "environment", "images"}))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_valued(*verb, "--server",
             "add readiness, metrics and configuration of this daemon; repeatable")
      ->type_name("URL")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_valued(*verb, "--recording", "add this file of a recording (--record); repeatable")
      ->type_name("FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->footer(
      "examples:\n"
      "  elbowroom dump > cluster.yaml\n"
      "  elbowroom dump --server http://127.0.0.1:10362 --recording /var/lib/elbowroom/recording\n"
      "  elbowroom simulate resize -f cluster.yaml default/web");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
