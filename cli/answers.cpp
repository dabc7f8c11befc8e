#include "cli/answers.h"

#include <chrono>
#include <semaphore>
#include <utility>

#include "base/document_text.h"
#include "cli/follow.h"
#include "cli/input/from_cluster.h"
#include "cli/output/document_parts.h"
#include "cli/pod_selection.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

void print_answer(const Value& document, const std::string& table, OutputFormat format) {
  switch (format) {
    case OutputFormat::Table:
      return print(table, format);
    case OutputFormat::Json:
      return print(to_json(document));
    case OutputFormat::Yaml:
      return print(to_yaml(document));
  }
}

}  // namespace

void warn_about(const DecodedObjects& input) {
  warn_of(input.left_out);
  warn_of_unknown_kinds(input.manifests);
  warn_of_makers(input.manifests);
  warn_of_odd_terms(input.manifests);
  warn_of_odd_groups(input.manifests);
}

Value list_of(std::vector<Value> items, const std::vector<std::string>& notes) {
  std::vector<Value> said;
  for (const std::string& each : notes) said.push_back(text_value(each));
  return map_value({member("apiVersion", text_value("v1")), member("kind", text_value("List")),
                    member("items", list_value(std::move(items))),
                    member("notes", list_value(std::move(said)))});
}

std::string list_text(const std::vector<std::string>& tables, const Value& list,
                      const std::string& none) {
  std::string out;
  for (const std::string& each : tables) out += (out.empty() ? "" : "---\n") + each;
  std::string notes = document_parts::notes(list);
  const std::size_t told = document_parts::at(list, "notes").items.size();
  if (told > document_parts::kShownPods) {
    notes +=
        "and " + std::to_string(told - document_parts::kShownPods) + " more (-o json has all)\n";
  }
  out += out.empty() && !notes.empty() ? notes.substr(1) : notes;
  return out.empty() ? none : out;
}

PodAnswer answer_each(const std::vector<std::string>& pods, std::vector<std::string> notes,
                      const std::function<Result<PodAnswer>(const std::string&)>& about,
                      const std::string& none) {
  std::vector<Value> documents;
  std::vector<std::string> tables;
  for (const std::string& pod : pods) {
    Result<PodAnswer> answer = about(pod);
    if (!answer) {
      notes.push_back(answer.error().message);
      continue;
    }
    documents.push_back(std::move(answer->document));
    tables.push_back(std::move(answer->table));
  }
  PodAnswer all{.document = list_of(std::move(documents), notes)};
  all.table = list_text(tables, all.document, none);
  return all;
}

void follow_answer(const std::function<Result<Value>()>& look, OutputFormat format,
                   const std::function<void(const Value&)>& tell) {
  using Clock = std::chrono::steady_clock;
  bool is_first = true;
  Clock::duration took{0};
  const auto timed = [&] {
    const auto began = Clock::now();
    Result<Value> document = look();
    took = Clock::now() - began;
    return document;
  };
  std::binary_semaphore never{0};  // Ctrl-C ends the process
  const Error end = follow({.look = timed,
                            .tell =
                                [&](const Value& document) {
                                  const bool parts = !std::exchange(is_first, false);
                                  if (parts && format != OutputFormat::Json) print("---\n");
                                  tell(document);
                                },
                            .trouble = [](const Error& error) { complain(error.message); },
                            .pause = [&] { (void)never.try_acquire_for(pause_after(took)); }});
  stop(exit_status_of(end), end.message);
}

void show_answer(const CLI::App& verb, const SimulateOptions& options,
                 const std::function<Result<PodAnswer>()>& look) {
  if (watches(verb)) {
    std::string table;  // of the last look
    follow_answer(
        [&]() -> Result<Value> {
          ASSIGN_OR_RETURN(PodAnswer answer, look());
          table = std::move(answer.table);
          return std::move(answer.document);
        },
        options.format,
        [&](const Value& document) { print_answer(document, table, options.format); });
  }
  const Result<PodAnswer> answer = look();
  if (!answer) {
    stop(options.from_cluster ? exit_status_of(answer.error()) : kExitFailure,
         answer.error().message);
  }
  print_answer(answer->document, answer->table, options.format);
}

}  // namespace elbowroom::cli
