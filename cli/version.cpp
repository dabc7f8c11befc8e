// `elbowroom version`: the versions of the client, of the daemons that answer, and of the API
// server.
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/watch/server_version.h"
#include "base/document_text.h"
#include "base/text.h"
#include "cli/input/daemon_build.h"
#include "cli/input/fetched_page.h"
#include "cli/input/from_cluster.h"
#include "cli/output/table.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "daemon/metrics/revision.h"

namespace elbowroom::cli {
namespace {

// elbowroomd, the scheduler and the rescheduler as they are packaged.
constexpr std::array kUsual = {"http://127.0.0.1:10361", "http://127.0.0.1:10362",
                               "http://127.0.0.1:10363"};
constexpr std::chrono::milliseconds kQuick{500};  // for daemons that may not be here
constexpr std::chrono::seconds kPatience{5};      // for what was named

// One program and where it answers.
struct Part {
  std::string program{};
  std::string version{};
  std::string revision{};  // "": an API server has none
  std::string url{};
};

struct Versions {
  std::vector<Part> daemons{};
  std::optional<Part> server{};
  std::vector<std::string> notes{};  // which parts are not known, and why
  int status = 0;                    // of the first that was named and does not answer
};

Result<Part> daemon_at(const std::string& url, std::chrono::milliseconds patience) {
  const auto server = api::parse_server_url(url);
  if (!server) stop(kExitUsage, "--server " + url + ": " + server.error().message);
  const auto page = fetched_page({.server = *server, .is_daemon = true}, "/metrics", patience);
  if (!page) return std::unexpected(page.error().with("daemon at " + url));
  const DaemonBuild build = daemon_build_in(page->body);
  if (build.program.empty()) {
    return failure(Code::Invalid, "daemon at " + url + ": another program answers there");
  }
  return Part{build.program, build.version, build.revision, api::to_string(*server)};
}

void add_named_daemons(const std::vector<std::string>& urls, Versions& all) {
  for (const std::string& url : urls) {
    Result<Part> part = daemon_at(url, kPatience);
    if (part) {
      all.daemons.push_back(*std::move(part));
      continue;
    }
    all.notes.push_back(part.error().message);
    if (all.status == 0) all.status = exit_status_of(part.error());
  }
}

void add_usual_daemons(Versions& all) {
  for (const char* url : kUsual) {
    Result<Part> part = daemon_at(url, kQuick);
    if (part) all.daemons.push_back(*std::move(part));
  }
  if (!all.daemons.empty()) return;
  all.notes.emplace_back(
      "daemons: none answers at 127.0.0.1, ports 10361 to 10363; --server URL names one");
}

void add_server(const CLI::App& verb, Versions& all) {
  const bool is_named =
      verb.get_option("--kubeconfig")->count() + verb.get_option("--context")->count() > 0;
  const auto note = [&](const std::string& why, int status) {
    all.notes.push_back("API server: " + why);
    if (is_named && all.status == 0) all.status = status;
  };
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) return note(cluster.error().message, kExitConfiguration);
  const std::string& url = cluster->reader->server();
  const auto answer = fetched_page(cluster->access, "/version", kPatience);
  if (!answer) return note(answer.error().with(url).message, exit_status_of(answer.error()));
  const api::ServerVersion said = api::server_version_from(answer->body);
  if (said.text.empty()) return note(url + " does not say its version", kExitFailure);
  all.server = Part{"API server", said.text, "", url};
}

Part client() { return {"elbowroom", ELBOWROOM_VERSION, std::string(daemon::revision()), ""}; }

Value value_of_part(const Part& part) {
  std::vector<Member> members = {member("program", text_value(part.program)),
                                 member("version", text_value(part.version))};
  if (!part.revision.empty()) members.push_back(member("revision", text_value(part.revision)));
  if (!part.url.empty()) members.push_back(member("url", text_value(part.url)));
  return map_value(std::move(members));
}

Value document_of(const Versions& all) {
  std::vector<Value> daemons;
  std::vector<Value> notes;
  for (const Part& each : all.daemons) daemons.push_back(value_of_part(each));
  for (const std::string& each : all.notes) notes.push_back(text_value(each));
  std::vector<Member> members = {member("apiVersion", text_value("elbowroom.dev/v1alpha1")),
                                 member("kind", text_value("Versions")),
                                 member("client", value_of_part(client())),
                                 member("daemons", list_value(std::move(daemons)))};
  if (all.server) members.push_back(member("server", value_of_part(*all.server)));
  members.push_back(member("notes", list_value(std::move(notes))));
  return map_value(std::move(members));
}

std::string text_of(const Versions& all) {
  std::vector<Part> parts = {client()};
  parts.insert(parts.end(), all.daemons.begin(), all.daemons.end());
  if (all.server) parts.push_back(*all.server);
  std::vector<std::vector<std::string>> rows = {{"PROGRAM", "VERSION", "REVISION", "WHERE"}};
  for (const Part& each : parts) {
    rows.push_back({each.program, each.version, each.revision.empty() ? "-" : each.revision,
                    each.url.empty() ? "here" : each.url});
  }
  std::string out = to_table(rows);
  for (const std::string& each : all.notes) out += sanitize_line(each) + "\n";
  return out;
}

void print_versions(const CLI::App& verb) {
  Versions all;
  if (verb.get_option("--client")->count() == 0) {
    const std::vector<std::string> urls = values_of(verb, "--server");
    urls.empty() ? add_usual_daemons(all) : add_named_daemons(urls, all);
    add_server(verb, all);
  }
  const std::string format = value_of(verb, "--output", "table");
  if (format == "table") {
    print(text_of(all), OutputFormat::Table);
  } else {
    print(format == "json" ? to_json(document_of(all)) : to_yaml(document_of(all)));
  }
  if (all.status != 0) throw CLI::RuntimeError(all.status);
}

}  // namespace

void add_version(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "version", "the versions of this program, of the daemons that answer and of the API server");
  verb->add_flag("--client")->description("only this program's");
  add_valued(*verb, "--server",
             "a daemon to ask; repeatable; default: this machine's ports 10361 to 10363")
      ->type_name("URL")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_cluster_options(*verb);
  add_format_option(*verb);
  verb->footer(
      "examples:\n"
      "  elbowroom version\n"
      "  elbowroom version --server http://127.0.0.1:10362 -o json\n"
      "\n"
      "exit status: 0 known, or not asked for by name; of a server or cluster that was named:\n"
      "69 unreachable, 77 not permitted, 78 the kubeconfig cannot be used");
  verb->callback([verb] { print_versions(*verb); });
}

}  // namespace elbowroom::cli
