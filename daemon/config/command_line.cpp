#include "daemon/config/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

#include "base/text.h"

namespace elbowroom::daemon {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

// Returns the arguments as CLI11 expects them, last one first. CLI11 would take the word after
// --key= as that key's value, so an empty value becomes a word of its own.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    if (word.starts_with("--") && word.ends_with('=')) {
      words.emplace_back();
      word.pop_back();
    }
    words.push_back(std::move(word));
  }
  return words;
}

// Describes the values that a flag takes, for --help.
std::string values_of(const Key& key) {
  switch (key.kind) {
    case Key::Kind::Bool:
      return "true|false";
    case Key::Kind::Address:
      return "ADDR:PORT";
    case Key::Kind::Path:
      return "PATH";
    case Key::Kind::Amount:
      return "NUMBER";
    case Key::Kind::Text:
      return "TEXT";
    case Key::Kind::Block:
    case Key::Kind::Choice:
      break;
  }
  std::string all;
  for (const std::string_view choice : key.choices) {
    all += (all.empty() ? "" : "|") + std::string(choice);
  }
  return all;
}

std::string footer(std::string_view program) {
  const std::string name(program);
  return "example:\n  " + name +
         " --config /etc/elbowroom/config.yaml --check-config\n\n"
         "exit status: 0 ended as asked, 1 failed, 2 usage, 75 something passing is in the way "
         "(try\n"
         "again), 78 a configuration that cannot be used";
}

// Adds `PROGRAM selftest --sandbox`. All flags of the program may stand before or after it.
CLI::App& add_selftest(CLI::App& app, std::string_view program, CommandLine& line) {
  CLI::App* verb = app.add_subcommand(
      "selftest", "try what a process may and may not do in the sandbox of its unit");
  verb->add_flag("--sandbox")
      ->description("try forbidden and needed acts, each in a child")
      ->required();
  verb->add_option("-o,--output", line.output, "json or table (default)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "table"}));
  verb->fallthrough();
  verb->footer(
      "example, in a drop-in of the unit, before each start:\n  [Service]\n  "
      "ExecStartPre=/usr/sbin/" +
      std::string(program) +
      " selftest --sandbox --config FILE\n\n"
      "exit status: 0 all is as it should be, 1 something is not, or this is no sandbox");
  return *verb;
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, std::string_view program,
                                      std::string_view about, const Schema& schema,
                                      CommandLine& line) {
  CLI::App app{std::string(about), std::string(program)};
  app.set_version_flag("--version", std::string(program) + " " ELBOWROOM_VERSION);
  app.add_option("--config", line.config_file, "a file of kind " + std::string(schema.kind));
  app.add_flag("--check-config", line.check_config, "check the configuration, print it, and exit");
  std::map<std::string, std::vector<std::string>> given;
  for (const Key& key : schema.keys) {
    if (key.kind == Key::Kind::Block) continue;
    const std::string flag = flag_of(key.name);
    std::string help(key.help);
    if (!key.fallback.empty()) help += " [" + std::string(key.fallback) + "]";
    if (key.is_live) help += " (SIGHUP reloads it)";
    CLI::Option* option = app.add_option("--" + flag, given[flag], help);
    option->expected(key.kind == Key::Kind::Bool ? 0 : 1, 1)->type_name(values_of(key));
  }
  app.footer(footer(program));
  const CLI::App& selftest = add_selftest(app, program, line);
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      const int status = app.exit(error);
      return std::cout.flush() ? status : kFailure;
    }
    // The command line may hold any bytes.
    std::cerr << sanitize(std::string(program) + ": " + error.what()) << "\nrun " << program
              << " --help for what there is\n";
    return kUsage;
  }
  line.selftest = selftest.parsed();
  for (const Key& key : schema.keys) {
    if (key.kind == Key::Kind::Block) continue;
    const std::string flag = flag_of(key.name);
    if (app.count("--" + flag) == 0) continue;
    const std::vector<std::string>& values = given[flag];
    std::string value = values.empty() ? "" : values.front();
    if (value.empty() && key.kind == Key::Kind::Bool) value = "true";
    line.flags[flag] = std::move(value);
  }
  return std::nullopt;
}

bool print(std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && whole;
}

Result<Settings> settings_of(const Schema& schema, const CommandLine& line, bool& is_usage) {
  is_usage = false;
  Settings settings = defaults(schema);
  if (!line.config_file.empty()) {
    ASSIGN_OR_RETURN(settings, settings_from_file(schema, line.config_file));
  }
  auto with = with_flags(std::move(settings), line.flags);
  is_usage = !with;
  return with;
}

}  // namespace elbowroom::daemon
