#include "cli/doctor/doctor_setup.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include "agent/program/config.h"
#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/transport/credential_file.h"
#include "base/child_program.h"
#include "base/document.h"
#include "base/durable_file.h"
#include "base/host_name.h"
#include "cli/doctor/file_facts.h"
#include "cli/doctor/line_edit.h"
#include "rescheduler/config.h"
#include "scheduler/config.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kMostConfig = std::size_t{1} << 20;

// ---- the unit ----

struct Ran {
  bool ended = false;
  std::string output{};
};

// The output of a program that ends soon; nothing if it cannot be run or does not end.
Ran run_briefly(const std::string& command, std::vector<std::string> arguments) {
  auto program = ChildProgram::start({.command = command,
                                      .arguments = std::move(arguments),
                                      .environment = {"LC_ALL=C", "SYSTEMD_COLORS=0"}});
  if (!program) return {};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (auto outcome = (*program)->poll()) {
      return {.ended = outcome->status == 0 && outcome->signal == 0,
              .output = std::move(outcome->output)};
    }
    std::array<pollfd, 3> waits{};
    const auto descriptors = (*program)->descriptors();
    for (std::size_t i = 0; i < waits.size(); ++i) {
      waits[i] = {.fd = descriptors[i], .events = POLLIN, .revents = 0};
    }
    (void)::poll(waits.data(), waits.size(), 100);
  }
  return {};
}

int number_in(const std::map<std::string, std::string, std::less<>>& of, std::string_view key) {
  const auto found = of.find(key);
  if (found == of.end()) return 0;
  int number = 0;
  const std::string& text = found->second;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool user_exists(const std::string& name) {
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  (void)::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
  return found != nullptr;
}

// ConditionPathExists= of the units; `systemctl show` prints no conditions.
std::string awaited_by(std::string_view name) {
  if (name.starts_with("elbowroom-scheduler")) return "/etc/elbowroom/scheduler.kubeconfig";
  if (name.starts_with("elbowroom-rescheduler")) return "/etc/elbowroom/rescheduler.kubeconfig";
  return "/etc/elbowroom/kubeconfig";
}

Look<UnitFacts> look_at_one(const std::string& name, const MachinePlaces& places) {
  if (::access(places.systemd.c_str(), F_OK) != 0) {
    return Look<UnitFacts>::not_seen("this machine was not booted by systemd");
  }
  const Ran ran = run_briefly(
      places.systemctl,
      {"show", name,
       "--property=LoadState,ActiveState,UnitFileState,ConditionResult,ConditionTimestampMonotonic,"
       "NeedDaemonReload,NRestarts,ExecMainStatus,MainPID,User,StatusText"});
  if (!ran.ended) {
    return Look<UnitFacts>::not_seen("systemctl does not say how " + name + " is");
  }
  UnitFacts unit = unit_facts(name, ran.output);
  unit.user_exists = user_exists(unit.user);
  unit.awaited = file_facts(awaited_by(name));
  return unit;
}

bool is_on(const Look<UnitFacts>& unit) {
  return unit && (unit->active || unit->starting || unit->enabled);
}

// The unit in effect, and whether it sets authority mode.
struct Units {
  Look<UnitFacts> unit{};
  std::optional<bool> authority{};  // nothing: no unit says
};

Units look_at_units(const DoctorOptions& ask, const MachinePlaces& places) {
  if (ask.program != Program::Agent) {
    const std::string name = name_of(ask.program);
    Look<UnitFacts> unit = look_at_one(name + ".service", places);
    if (unit && unit->user.empty()) unit->user = "_" + name;
    return {.unit = std::move(unit)};
  }
  Look<UnitFacts> companion = look_at_one("elbowroomd.service", places);
  Look<UnitFacts> authority = look_at_one("elbowroomd-authority.service", places);
  const bool both = is_on(companion) && is_on(authority);
  bool is_authority = is_on(authority) && !(is_on(companion) && !authority->active);
  Units units;
  if (is_on(companion) || is_on(authority)) units.authority = is_authority;
  if (!ask.mode.empty()) is_authority = ask.mode == "authority";
  units.unit = is_authority ? std::move(authority) : std::move(companion);
  if (units.unit) {
    units.unit->other_runs = both;
    if (units.unit->user.empty()) units.unit->user = "_elbowroom";
  }
  return units;
}

// ---- the configuration ----

std::string default_config(const DoctorOptions& ask, const MachinePlaces& places) {
  return places.configuration + "/" + config_file_of(ask.program);
}

// Pretends that there is a service account, so that everything but the connection to the API server
// is checked.
api::ApiEnvironment without_server() {
  api::ApiEnvironment environment;
  environment.service_host = "127.0.0.1";
  environment.service_port = "1";
  return environment;
}

daemon::Settings without_kubeconfig(daemon::Settings settings) {
  for (daemon::Setting& each : settings.all) {
    if (each.key.name == "kubeconfig") each.value.clear();
  }
  return settings;
}

daemon::Schema schema_of(Program program) {
  switch (program) {
    case Program::Agent:
      return agent::agent_schema();
    case Program::Scheduler:
      return scheduler::scheduler_schema();
    case Program::Rescheduler:
      return rescheduler::rescheduler_schema();
  }
  return {};
}

Result<void> take_options(const DoctorOptions& ask, Setup& setup) {
  const daemon::Settings settings = without_kubeconfig(setup.settings);
  if (ask.program == Program::Scheduler) {
    const auto options = scheduler::options_from(settings, "doctor", without_server());
    if (!options) return std::unexpected(options.error());
    return {};
  }
  if (ask.program == Program::Rescheduler) {
    const auto options =
        control::options_from<rescheduler::Config>(settings, "doctor", without_server());
    if (!options) return std::unexpected(options.error());
    return {};
  }
  ASSIGN_OR_RETURN(setup.agent, agent::options_from(settings, host_name(), without_server()));
  return {};
}

// The line of each key, from the origin "FILE: line L".
std::map<std::string, int> lines_of(const daemon::Settings& settings) {
  std::map<std::string, int> lines;
  for (const daemon::Setting& each : settings.all) {
    if (const int line = line_in(each.origin); line > 0) lines[std::string(each.key.name)] = line;
  }
  return lines;
}

bool is_mended(const DoctorOptions& ask, const std::string& path, const std::string& text) {
  auto settings = daemon::settings_from(schema_of(ask.program), path, text);
  if (!settings) return false;
  Setup setup{.settings = *std::move(settings)};
  return take_options(ask, setup).has_value();
}

// An edit of the line that the message names, tried on the file's text.
std::string mending_edit(const DoctorOptions& ask, const std::string& path,
                         const ConfigFacts& config) {
  const auto text = read_file(path, kMostConfig);
  if (!text) return {};
  const auto edit = edit_for(config.trouble, *text, schema_of(ask.program));
  return edit && is_mended(ask, path, edited(*text, *edit)) ? edit->expression : "";
}

// Which values the key that the message names may have.
std::string value_advice(const ConfigFacts& config, const daemon::Schema& schema) {
  const std::string name = key_in(config.trouble);
  const auto key = std::ranges::find(schema.keys, name, &daemon::Key::name);
  if (key == schema.keys.end()) return {};
  int line = line_in(config.trouble);
  if (const auto at = config.lines.find(name); line == 0 && at != config.lines.end()) {
    line = at->second;
  }
  std::string values;
  for (const std::string_view each : values_of(*key)) {
    values += (values.empty() ? "one of the values " : ", ") + std::string(each);
  }
  if (values.empty()) values = "its value (" + std::string(key->help) + ")";
  return "give " + name + (line > 0 ? " in line " + std::to_string(line) : "") + " " + values;
}

// Combines the configuration file with the command line, which overrides it.
void take_config(const DoctorOptions& ask, const MachinePlaces& places, std::optional<bool> by_unit,
                 Setup& setup, DoctorFacts& facts) {
  const daemon::Schema schema = schema_of(ask.program);
  setup.settings = daemon::defaults(schema);
  const std::string path = ask.config.empty() ? default_config(ask, places) : ask.config;
  const FileFacts file = file_facts(path);
  if (file.kind != FileFacts::Kind::Missing || !ask.config.empty()) {
    facts.config.file = file;
    auto read = daemon::settings_from_file(schema, path);
    if (!read) {
      facts.config.trouble = read.error().message;
    } else {
      setup.settings = *std::move(read);
    }
    facts.config.lines = lines_of(setup.settings);
  }
  std::map<std::string, std::string> flags;
  if (ask.program == Program::Agent) {
    if (!ask.node.empty()) flags["node-name"] = ask.node;
    if (by_unit) flags["mode"] = *by_unit ? "authority" : "companion";
    if (!ask.mode.empty()) flags["mode"] = ask.mode;
  }
  auto with = daemon::with_flags(setup.settings, flags);
  if (with) setup.settings = *std::move(with);
  const auto taken = take_options(ask, setup);
  if (!taken && facts.config.trouble.empty()) {
    facts.config.file.path = path;
    facts.config.trouble = taken.error().message;
  }
  if (!facts.config.trouble.empty()) {
    facts.config.edit = mending_edit(ask, path, facts.config);
    facts.config.advice = value_advice(facts.config, schema);
  }
  setup.authority = ask.program == Program::Agent && setup.settings.text("mode") == "authority";
}

// ---- the kubeconfig ----

Result<api::Access> found_by_environment(const DoctorOptions& ask,
                                         const api::ApiEnvironment& environment,
                                         KubeconfigFacts& facts) {
  if (!environment.service_host.empty() && environment.kubeconfig.empty()) {
    facts.origin = "the service account of this pod";
    return api::in_cluster_access(environment);
  }
  facts.origin = environment.kubeconfig.empty() ? "~/.kube/config" : "KUBECONFIG";
  if (environment.kubeconfig.empty()) facts.file = file_facts(environment.home + "/.kube/config");
  return api::user_access("", environment, ask.context);
}

void take_kubeconfig(const DoctorOptions& ask, const api::ApiEnvironment& environment, Setup& setup,
                     KubeconfigFacts& facts) {
  const daemon::Setting& setting = setup.settings.at("kubeconfig");
  const std::string path = ask.kubeconfig.empty() ? setting.value : ask.kubeconfig;
  Result<api::Access> access = failure(Code::NotFound, "");
  using By = KubeconfigFacts::By;
  if (path.empty()) {
    facts.by = By::Surroundings;
    access = found_by_environment(ask, environment, facts);
  } else {
    facts.by = ask.kubeconfig.empty() ? By::Config : By::CommandLine;
    facts.origin = ask.kubeconfig.empty() ? setting.origin : "--kubeconfig";
    facts.file = file_facts(path);
    access = ask.context.empty() ? api::daemon_access(path, environment)
                                 : api::user_access(path, environment, ask.context);
  }
  if (!access) {
    facts.trouble = access.error();
  } else {
    setup.access = *std::move(access);
  }
}

// ---- credentials ----

// Returns the content, and adds the file to the facts.
std::string take_file(const std::string& field, const std::string& path, std::string_view marker,
                      CredentialFacts& facts) {
  CredentialFile of{.field = field, .file = file_facts(path)};
  const auto content = api::read_credential(path);
  if (!content) of.trouble = content.error().message;
  if (content && content->find(marker) == std::string::npos) {
    of.trouble = path + ": there is no \"" + std::string(marker) + "\" in it";
  }
  const bool good = of.trouble.empty();
  facts.files.push_back(std::move(of));
  return good ? *content : std::string();
}

std::optional<Dates> dates_of(std::string what, const std::string& pem) {
  const auto validity = api::validity_of(pem);
  if (!validity) return std::nullopt;
  return Dates{.what = std::move(what), .validity = *validity};
}

void take_certificate(const api::Access& access, CredentialFacts& facts) {
  const bool in_file = !access.certificate_pem && !access.certificate_file.empty();
  const std::string certificate = in_file ? take_file("client-certificate", access.certificate_file,
                                                      "-----BEGIN CERTIFICATE", facts)
                                          : access.certificate_pem.value_or("");
  const std::string key = !access.key_pem && !access.key_file.empty()
                              ? take_file("client-key", access.key_file, "-----BEGIN ", facts)
                              : access.key_pem.value_or("");
  facts.certificate_file = access.certificate_pem ? "" : access.certificate_file;
  facts.key_file = access.key_pem ? "" : access.key_file;
  if (certificate.empty()) return;
  facts.certificate = dates_of(in_file ? "client certificate " + access.certificate_file
                                       : "the client certificate in the kubeconfig",
                               certificate);
  if (key.empty()) return;
  if (const auto pair = api::check_pair(certificate, key); !pair) {
    facts.key_pair_error = "client-certificate and client-key: " + pair.error().message;
  }
}

void take_authority(const api::Access& access, CredentialFacts& facts) {
  if (access.authority_pem) {
    facts.authority = dates_of("the authority in the kubeconfig", *access.authority_pem);
  } else if (!access.authority_file.empty()) {
    facts.authority_file = access.authority_file;
    facts.authority = dates_of(
        "the authority " + access.authority_file,
        take_file("certificate-authority", access.authority_file, "-----BEGIN CERTIFICATE", facts));
  }
}

std::string take_token_file(const std::string& path, CredentialFacts& facts) {
  const std::string token = take_file("tokenFile", path, "", facts);
  CredentialFile& file = facts.files.back();
  const bool is_blank = token.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank && file.trouble.empty()) file.trouble = path + ": it holds no token";
  return token;
}

void take_token(const api::Access& access, CredentialFacts& facts) {
  std::string token = access.token;
  if (!access.token_file.empty()) token = take_token_file(access.token_file, facts);
  facts.token_until = end_of_token(token);
  facts.token_file = access.token_file;
  facts.static_token = access.token_file.empty() && !token.empty();
}

// Searches the folders in PATH, as a shell does.
bool can_run(const std::string& command) {
  if (command.find('/') != std::string::npos) return ::access(command.c_str(), X_OK) == 0;
  const char* path = ::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): never set here
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (::access((std::string(folder) + "/" + command).c_str(), X_OK) == 0) return true;
  }
  return false;
}

CredentialFacts credential_facts(const api::Access& access) {
  CredentialFacts facts;
  take_authority(access, facts);
  take_certificate(access, facts);
  take_token(access, facts);
  if (access.exec && !access.certificate_pem && access.certificate_file.empty() &&
      access.token.empty() && access.token_file.empty()) {
    facts.program = access.exec->command;
    if (!can_run(facts.program)) facts.program_error = "it is not there, or may not be run";
  }
  return facts;
}

}  // namespace

UnitFacts unit_facts(const std::string& name, const std::string& shown) {
  std::map<std::string, std::string, std::less<>> of;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    of.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  UnitFacts unit{.name = name.substr(0, name.find(".service"))};
  unit.loaded = of["LoadState"] == "loaded";
  unit.active = of["ActiveState"] == "active" || of["ActiveState"] == "reloading";
  unit.failed = of["ActiveState"] == "failed";
  unit.starting = of["ActiveState"] == "activating";
  unit.status = of["StatusText"];
  unit.enabled = of["UnitFileState"].starts_with("enabled");
  // A unit that has never been started also has the result "no", but without a time.
  unit.unmet =
      !unit.active && of["ConditionResult"] == "no" && of["ConditionTimestampMonotonic"] != "0";
  unit.stale = of["NeedDaemonReload"] == "yes";
  unit.restarts = number_in(of, "NRestarts");
  unit.exit_status = number_in(of, "ExecMainStatus");
  unit.pid = number_in(of, "MainPID");
  unit.user = of["User"];
  return unit;
}

// The middle part of HEADER.PAYLOAD.SIGNATURE, in base64url, has "exp".
std::optional<policy::Time> end_of_token(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  std::string payload(token.substr(first + 1, second - first - 1));
  std::ranges::replace(payload, '-', '+');
  std::ranges::replace(payload, '_', '/');
  payload.append((4 - payload.size() % 4) % 4, '=');
  const auto text = api::decode_base64(payload);
  if (!text) return std::nullopt;
  const auto claims = parse_json(*text);
  if (!claims) return std::nullopt;
  const std::int64_t end = api::integer_at(*claims, "exp");
  constexpr std::int64_t kLatest = 253'402'300'799;  // the year 9999
  if (end <= 0 || end > kLatest) return std::nullopt;
  return policy::Time(std::chrono::seconds(end));
}

Setup read_setup_facts(const DoctorOptions& ask, const MachinePlaces& places,
                       const api::ApiEnvironment& environment, DoctorFacts& facts) {
  Setup setup;
  Units units = look_at_units(ask, places);
  take_config(ask, places, units.authority, setup, facts);
  take_kubeconfig(ask, environment, setup, facts.kubeconfig);
  if (setup.access) {
    facts.credentials = credential_facts(*setup.access);
  } else {
    facts.credentials =
        Look<CredentialFacts>::not_seen("there is no kubeconfig that could be read");
  }
  setup.is_here = facts.config.file.kind != FileFacts::Kind::Missing || !ask.mode.empty() ||
                  (units.unit && units.unit->loaded);
  facts.unit = std::move(units.unit);
  facts.program = ask.program;
  facts.authority = setup.authority;
  facts.node_name = setup.agent.reactor.node_name;
  facts.dry_run = setup.settings.truth("dryRun");
  if (ask.program != Program::Agent) {
    facts.lease_namespace = setup.settings.text("leaseNamespace");
  }
  if (ask.program == Program::Scheduler) {
    facts.never_yields = setup.settings.at("yieldTo").given() && !setup.settings.is_set("yieldTo");
  }
  if (ask.program == Program::Agent && setup.settings.is_set("criticalPreemption")) {
    facts.critical_preemption = setup.settings.truth("criticalPreemption");
  }
  return setup;
}

}  // namespace elbowroom::cli
