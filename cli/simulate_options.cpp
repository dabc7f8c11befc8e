#include "cli/simulate_options.h"

#include <cstdio>
#include <utility>

#include "api/codec/timestamp.h"
#include "cli/input/from_cluster.h"
#include "cli/output/progress.h"
#include "cli/output/screen.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kNamedTerms = 100;

}  // namespace

CLI::Option* add_valued(CLI::App& verb, const std::string& name, const std::string& description) {
  const auto accept = [](const CLI::results_t&) { return true; };
  return verb.add_option(name, CLI::callback_t(accept), description)->type_name("VALUE");
}

std::vector<std::string> values_of(const CLI::App& verb, const std::string& name) {
  return verb.get_option(name)->results();
}

std::string value_of(const CLI::App& verb, const std::string& name, const std::string& fallback) {
  const std::vector<std::string> values = values_of(verb, name);
  return values.empty() ? fallback : values.front();
}

void add_simulate_options(CLI::App& verb) {
  add_valued(verb, "-f,--filename",
             "YAML or JSON: a file, a folder, or - for standard input; repeatable")
      ->type_name("FILE|DIR|-")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_flag("--from-cluster")->description("read from a cluster in place of files");
  add_cluster_options(verb);
  add_output_options(verb);
}

void add_color_option(CLI::App& verb) {
  verb.add_option_function<std::string>("--color", choose_colours,
                                        "colours in tables: auto (default), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_format_option(CLI::App& verb) {
  add_valued(verb, "-o,--output", "json, yaml or table (default)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "yaml", "table"}));
  add_color_option(verb);
}

void add_output_options(CLI::App& verb) {
  add_format_option(verb);
  add_valued(verb, "--now", "the time to judge at")->type_name("RFC3339");
}

Result<SimulateOptions> options_of(const CLI::App& verb, Inputs inputs) {
  ASSIGN_OR_RETURN(SimulateOptions options, output_options_of(verb));
  options.files = values_of(verb, "--filename");
  options.from_cluster = verb.get_option("--from-cluster")->count() > 0;
  if (options.files.empty() && !options.from_cluster) {
    return failure(Code::Invalid, "no input: give -f FILE, -f DIR, -f - or --from-cluster");
  }
  if (inputs == Inputs::One && !options.files.empty() && options.from_cluster) {
    return failure(Code::Invalid, "-f and --from-cluster exclude each other: give one of them");
  }
  return options;
}

Result<SimulateOptions> output_options_of(const CLI::App& verb) {
  SimulateOptions options;
  const std::string format = value_of(verb, "--output", "table");
  if (format == "json") options.format = OutputFormat::Json;
  if (format == "yaml") options.format = OutputFormat::Yaml;
  const CLI::Option* now = verb.get_option_no_throw("--now");
  if (now == nullptr || now->count() == 0) return options;
  const Result<policy::Time> time = api::parse_timestamp(value_of(verb, "--now", ""));
  if (!time) return std::unexpected(time.error().with("--now"));
  options.now = *time;
  return options;
}

void add_namespace_option(CLI::App& verb, const std::string& otherwise) {
  add_valued(verb, "-n,--namespace", "the namespace of a name without one; default: " + otherwise)
      ->type_name("NAMESPACE");
}

ObjectName object_of(const CLI::App& verb, const std::string& word, Named what,
                     const std::string& fallback) {
  Result<ObjectName> object = object_named(word, what, value_of(verb, "--namespace", ""), fallback);
  if (!object) stop(kExitUsage, object.error().message);
  return *std::move(object);
}

SimulateSource open_source(const CLI::App& verb, const SimulateOptions& options) {
  if (!options.from_cluster) return {};
  Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  return {.reader = std::move(cluster->reader), .ns = std::move(cluster->ns)};
}

void warn_of_unknown_kinds(const Manifests& manifests) {
  for (const std::string& version : manifests.other_versions) {
    complain("the input was dumped by elbowroom " + version +
             ", and this is " ELBOWROOM_VERSION ": what that version did not dump is missing here");
  }
  for (const std::string& kind : manifests.unknown_kinds) {
    complain("kind " + kind + " is not understood: ignored");
  }
}

void warn_of_makers(const Manifests& manifests) {
  for (const std::string& kind : manifests.makers) {
    complain("kind " + kind + " makes no pods here: only pods in the input count");
  }
}

void warn_of_odd_terms(const Manifests& manifests) {
  std::size_t named = 0;
  for (const std::string& each : manifests.odd_terms) {
    if (++named > kNamedTerms) break;
    complain(each + ": the term cannot be understood, and does not match");
  }
  if (named > kNamedTerms) {
    complain(std::to_string(manifests.odd_terms.size() - kNamedTerms) +
             " more terms cannot be understood, and do not match");
  }
}

void warn_of_odd_groups(const Manifests& manifests) {
  std::size_t named = 0;
  for (const std::string& each : manifests.odd_groups) {
    if (++named > kNamedTerms) break;
    complain(each + ": none of its pods is placed or removed");
  }
  if (named > kNamedTerms) {
    complain(std::to_string(manifests.odd_groups.size() - kNamedTerms) +
             " more groups cannot be understood: none of their pods is placed or removed");
  }
}

void warn_of_unread(const ClusterObjects& read) {
  for (const DeniedRight& each : read.denied) {
    complain("not permitted: " + each.right);
  }
  for (const std::string& resource : read.absent) {
    complain("the cluster serves no " + resource + ": judged as if there were none");
  }
}

std::string with_source(const Error& error, const SimulateOptions& options) {
  if (error.code != Code::NotFound || error.message.ends_with('?')) return error.message;
  return error.message +
         (options.from_cluster ? ", which is what the cluster shows now" : ": add it with -f");
}

namespace {

// False: its reader has closed the pipe.
bool is_printed(const std::string& text) {
  progress().erase();
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return true;
  if (output_has_no_reader()) return false;
  stop(kExitFailure, std::string(kOutputIsFull));
}

std::string shown(const std::string& text, OutputFormat format) {
  return format == OutputFormat::Table ? painted(text) : text;
}

}  // namespace

void print(const std::string& text) {
  if (!is_printed(text)) throw CLI::RuntimeError(0);
}

void print(const std::string& text, OutputFormat format) { print(shown(text, format)); }

void print_answer(const std::string& text, OutputFormat format) {
  static_cast<void>(is_printed(shown(text, format)));
}

void stop(int status, const std::string& message) {
  complain(message);
  throw CLI::RuntimeError(status);
}

}  // namespace elbowroom::cli
