// `elbowroom replay FILE...`: a recording, run again.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agent/recording/recording.h"
#include "agent/recording/recording_words.h"
#include "base/document.h"
#include "base/document_text.h"
#include "base/text.h"
#include "cli/output/output_format.h"
#include "cli/output/progress.h"
#include "cli/output/replay_report.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "rescheduler/recording/recording.h"
#include "rescheduler/recording/recording_words.h"
#include "scheduler/recording/recording.h"
#include "scheduler/recording/recording_words.h"

namespace elbowroom::cli {
namespace {

struct ReplayQuery {
  std::vector<std::string> files{};
  OutputFormat format = OutputFormat::Table;
  std::size_t until = 0;
  bool show = false;
  bool rewrite = false;
};

ReplayQuery query_of(const CLI::App& verb) {
  ReplayQuery query{.files = values_of(verb, "files")};
  const std::string format = value_of(verb, "--output", "table");
  if (format == "json") query.format = OutputFormat::Json;
  if (format == "yaml") query.format = OutputFormat::Yaml;
  query.show = verb.get_option("--show")->count() > 0;
  query.rewrite = verb.get_option("--rewrite")->count() > 0;
  const std::string until = value_of(verb, "--until", "0");
  const char* end = until.data() + until.size();
  const auto [stopped, wrong] = std::from_chars(until.data(), end, query.until);
  if (wrong != std::errc{} || stopped != end) {
    stop(kExitUsage, "--until: \"" + until + "\" is no number of a line");
  }
  if (query.show && query.format != OutputFormat::Table) {
    stop(kExitUsage, "--show is for people: leave out -o");
  }
  if (query.rewrite && query.until != 0) {
    stop(kExitUsage, "--rewrite and --until exclude each other: give one of them");
  }
  return query;
}

// "  12  +3.250s  pod default/web seen, generation 2".
template <class Observation>
std::string shown(std::size_t line, const Observation& seen) {
  const auto ms = seen.at.since_start.count();
  std::string milliseconds = std::to_string(ms % 1000);
  milliseconds.insert(0, 3 - std::min<std::size_t>(3, milliseconds.size()), '0');
  return std::to_string(line) + "  +" + std::to_string(ms / 1000) + "." + milliseconds + "s  " +
         sanitize_line(in_words(seen)) + "\n";
}

// The new text is written beside the file and replaces it when it is complete.
class Rewriting {
 public:
  explicit Rewriting(std::string path) : path_(std::move(path)), out_(path_ + ".new") {}
  Rewriting(const Rewriting&) = delete;
  Rewriting& operator=(const Rewriting&) = delete;
  ~Rewriting() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove(path_ + ".new", ignored);
  }

  void add(std::string_view line) { out_ << line << '\n'; }

  [[nodiscard]] Result<void> keep() {
    out_.close();
    std::error_code wrong;
    if (out_) std::filesystem::rename(path_ + ".new", path_, wrong);
    kept_ = out_ && !wrong;
    if (kept_) return {};
    return failure(Code::Unavailable, "write " + path_ + ".new in its place: see whether its " +
                                          "folder can be written");
  }

 private:
  std::string path_;
  std::ofstream out_;
  bool kept_ = false;
};

// The writer that its first line names; "" if it is no recording.
std::string program_of(const std::string& path) {
  auto reader = recording::RecordingReader::open(path);
  if (!reader) return "";
  const auto line = reader->next();
  if (!line || !*line) return "";
  const auto header = parse_json((*line)->text);
  const Value* program = header ? header->find("recording") : nullptr;
  return program == nullptr ? "" : program->text;
}

// Printed before it is handled: an observation that ends the reactor is the last one on the screen.
template <class Options>
void show(Options& options) {
  options.seen = [](std::size_t line, const auto& seen) { print(shown(line, seen)); };
  options.did = [](const auto& effects) {
    for (const auto& each : effects) print("    -> " + sanitize_line(in_words(each)) + "\n");
  };
}

template <class Options>
Result<ReplayedFile> replay_file(const std::string& path, const ReplayQuery& query,
                                 Options options) {
  ASSIGN_OR_RETURN(recording::RecordingReader reader, recording::RecordingReader::open(path));
  options.until = query.until;
  options.all = query.rewrite;
  if (query.show) {
    show(options);
  } else {
    options.seen = [&path](std::size_t line, const auto&) {
      progress().tell("replaying " + path + ", line", line);
    };
  }
  std::optional<Rewriting> rewriting;
  if (query.rewrite) {
    rewriting.emplace(path);
    options.rewritten = [&](std::string_view line) { rewriting->add(line); };
  }
  ASSIGN_OR_RETURN(recording::ReplayReport report, replay(reader, options));
  const bool changed = report.first.has_value();
  if (rewriting && changed) RETURN_IF_ERROR(rewriting->keep());
  return ReplayedFile{path, std::move(report), query.rewrite && changed};
}

Result<ReplayedFile> replay_file(const std::string& path, const ReplayQuery& query) {
  const std::string program = program_of(path);
  if (program == "elbowroom-scheduler") {
    return replay_file(path, query, scheduler::ReplayOptions{});
  }
  if (program == "elbowroom-rescheduler") {
    return replay_file(path, query, rescheduler::ReplayOptions{});
  }
  return replay_file(path, query, agent::ReplayOptions{});
}

void run(const CLI::App& verb) {
  const ReplayQuery query = query_of(verb);
  std::vector<ReplayedFile> all;
  int status = 0;
  for (const std::string& file : query.files) {
    auto replayed = replay_file(file, query);
    if (!replayed) {
      complain(file + ": " + replayed.error().message);
      status = kExitFailure;
      continue;
    }
    if (replayed->report.first && !replayed->rewritten) status = kExitFailure;
    if (query.format == OutputFormat::Table) print(in_words(*replayed));
    all.push_back(*std::move(replayed));
  }
  if (query.format != OutputFormat::Table) {
    const Value document = encode(all);
    print(query.format == OutputFormat::Json ? to_json(document) : to_yaml(document));
  }
  if (status != 0) throw CLI::RuntimeError(status);
}

}  // namespace

void add_replay(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "replay", "run a recording of a daemon again, and say whether the same comes out");
  add_valued(*verb, "files", "what --record of a daemon has written")
      ->type_name("FILE...")
      ->required()
      ->expected(-1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_valued(*verb, "-o,--output", "json, yaml or table (default)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "yaml", "table"}));
  add_valued(*verb, "--until", "read no further than this line")->type_name("LINE");
  verb->add_flag("--show")->description("print each observation, and what is done about it");
  verb->add_flag("--rewrite")->description("write what comes out now into the recording");
  verb->footer(
      "Exit status: 0 the same effects came out, 1 others did, or a file is no recording.\n"
      "Examples:\n"
      "  elbowroom replay /var/log/elbowroom/recording\n"
      "  elbowroom replay --show --until 40 recording.1 | less");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
