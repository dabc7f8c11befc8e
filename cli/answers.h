// What a verb answers about pods: about one or several, once or again and again.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/output_format.h"
#include "cli/simulate_options.h"

namespace elbowroom::cli {

// One answer in both of its forms.
struct PodAnswer {
  Value document{};
  std::string table{};
};

// Names on standard error what of the input is not understood.
void warn_about(const DecodedObjects& input);

// A List of them, with `notes`: why others are not in it.
[[nodiscard]] Value list_of(std::vector<Value> items, const std::vector<std::string>& notes);
// The tables of a List, one after the other, and its notes; `none` where there is nothing to say.
[[nodiscard]] std::string list_text(const std::vector<std::string>& tables, const Value& list,
                                    const std::string& none);

// The answer about each of these pods (NAMESPACE/NAME), by `about`; its error is a note.
[[nodiscard]] PodAnswer answer_each(
    const std::vector<std::string>& pods, std::vector<std::string> notes,
    const std::function<Result<PodAnswer>(const std::string&)>& about, const std::string& none);

// Looks again and again, and tells what differs, until Ctrl-C ends the process. A look that fails
// otherwise than Unavailable ends the verb.
[[noreturn]] void follow_answer(const std::function<Result<Value>()>& look, OutputFormat format,
                                const std::function<void(const Value&)>& tell);

// Prints what `look` gives: once, or with -w whenever it differs. Its error ends the verb.
void show_answer(const CLI::App& verb, const SimulateOptions& options,
                 const std::function<Result<PodAnswer>()>& look);

}  // namespace elbowroom::cli
