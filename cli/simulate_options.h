// The options of every `simulate` verb: -f, --from-cluster, -o, --now. An invalid option is a usage
// error; an invalid file is not.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/input/from_cluster.h"
#include "cli/input/manifests.h"
#include "cli/named_object.h"
#include "cli/output/output_format.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

struct SimulateOptions {
  std::vector<std::string> files{};
  bool from_cluster = false;  // in place of files, or with Inputs::Both besides them
  OutputFormat format = OutputFormat::Table;
  std::optional<policy::Time> now{};  // nothing without --now
};

// Adds an option whose values options_of() and values_of() read after parsing, so callers need no
// variables for CLI11 to fill.
CLI::Option* add_valued(CLI::App& verb, const std::string& name, const std::string& description);
[[nodiscard]] std::vector<std::string> values_of(const CLI::App& verb, const std::string& name);
// The one value, or `fallback` when the option was not given.
[[nodiscard]] std::string value_of(const CLI::App& verb, const std::string& name,
                                   const std::string& fallback);

void add_simulate_options(CLI::App& verb);
// Adds --color, which screen.h follows.
void add_color_option(CLI::App& verb);
// Only -o and --color.
void add_format_option(CLI::App& verb);
// Only -o, --color and --now.
void add_output_options(CLI::App& verb);

// Adds -n,--namespace. `otherwise`: the default, in words.
void add_namespace_option(CLI::App& verb, const std::string& otherwise);
// The object that `word` names, of a verb with -n (cli/named_object.h). Ends the verb where it
// names none.
[[nodiscard]] ObjectName object_of(const CLI::App& verb, const std::string& word, Named what,
                                   const std::string& fallback);

// Where the input comes from: files, or a cluster.
struct SimulateSource {
  std::unique_ptr<ClusterReader> reader{};  // null: files
  std::string ns = "default";               // of names without one: the context's
};
// Ends the verb where the kubeconfig cannot be used.
[[nodiscard]] SimulateSource open_source(const CLI::App& verb, const SimulateOptions& options);

// Invalid: a --now that is not a time, no input, both files and --from-cluster where one excludes
// the other.
enum class Inputs : std::uint8_t { One, Both };
[[nodiscard]] Result<SimulateOptions> options_of(const CLI::App& verb, Inputs inputs = Inputs::One);
[[nodiscard]] Result<SimulateOptions> output_options_of(const CLI::App& verb);

// Names the unknown kinds, and other versions that dumped the input, on standard error.
void warn_of_unknown_kinds(const Manifests& manifests);
// Says of each kind of controller once that no Pods are made of it.
void warn_of_makers(const Manifests& manifests);

// Names the placement terms that cannot be decoded on standard error, each once: the first hundred,
// then the number of the rest.
void warn_of_odd_terms(const Manifests& manifests);

// Names the pod groups that cannot be understood on standard error: the first hundred, then the
// number of the rest.
void warn_of_odd_groups(const Manifests& manifests);

// Names what a cluster did not permit us to read, and what it does not serve, on standard error,
// each once.
void warn_of_unread(const ClusterObjects& read);

// The message of an error about the input, and where what is missing would come from.
[[nodiscard]] std::string with_source(const Error& error, const SimulateOptions& options);

// Prints the message and ends the verb with that exit status.
[[noreturn]] void stop(int status, const std::string& message);

// Prints the text on standard output; ends the verb where that takes no more: with success where
// its reader has closed a pipe, as head does.
void print(const std::string& text);
// The same; a table with colours, where standard output has them.
void print(const std::string& text, OutputFormat format);
// The same for a verb's whole answer; a reader that has closed the pipe leaves the exit status to
// the verb.
void print_answer(const std::string& text, OutputFormat format);

}  // namespace elbowroom::cli
