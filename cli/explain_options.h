// What `explain pod` and `explain group` share: whom they ask, about what, and how they print it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/from_cluster.h"
#include "cli/input/object_name.h"
#include "cli/output/output_format.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// Adds the name (`what`: "pod", "group"), -n, --server, and the options of the cluster and of the
// output.
void add_explain_options(CLI::App& verb, const std::string& what);

// Where the answer comes from: files, a daemon, or else a cluster.
struct ExplainSource {
  std::vector<std::string> files{};
  std::string server{};
  ClusterAccess cluster{};
};
// Ends the verb where the command line names two of them, or options that apply only to the cluster
// and to files (`judging`) beside a daemon.
[[nodiscard]] ExplainSource open_source(const CLI::App& verb,
                                        const std::vector<std::string>& judging);

// The object of a verb with `what` (cli/named_object.h); a name alone is in the context's
// namespace.
[[nodiscard]] ObjectName named_object(const CLI::App& verb, const std::string& what,
                                      const ExplainSource& source);

// The document at /explain?WHAT=NAMESPACE/NAME.
[[nodiscard]] Result<Value> ask_daemon(const std::string& url, const std::string& what,
                                       const ObjectName& object);

[[nodiscard]] policy::Time clock_time();
[[nodiscard]] Value list_of_texts(const std::vector<std::string>& all);
// What could not be read, for `notes`.
[[nodiscard]] std::vector<std::string> notes_of(const ClusterObjects& read);
// Adds the object's events, with a note where they may not be read, and the notes.
[[nodiscard]] Result<Value> with_events(Value document, ClusterReader& reader,
                                        const std::string& ns, const std::string& uid,
                                        std::vector<std::string> notes);

// The same for the objects of files, which have no events.
[[nodiscard]] Value without_events(Value document);

// Any explanation, or a list of them, for people.
[[nodiscard]] std::string text_of_explanation(const Value& document);

// Prints any explanation, or ends the verb with the error's exit status.
void print_explanation(const Result<Value>& document, OutputFormat format);

}  // namespace elbowroom::cli
