#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "cli/command_names.h"
#include "cli/completion/completion.h"
#include "cli/output/joined.h"
#include "cli/output/screen.h"
#include "cli/verbs.h"
#include "daemon/config/suggestion.h"

namespace elbowroom::cli {
namespace {

// The last verb that was understood, or the program.
const CLI::App& last_understood(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// What is wrong with words that no verb expects; `otherwise`: what CLI11 says.
std::string in_words(const CLI::App& app, const std::string& otherwise) {
  const CLI::App& at = last_understood(app);
  const Names verbs = verbs_of(at);
  const Names words = app.remaining(true);
  if (words.empty()) {
    if (verbs.empty() || !at.get_subcommands().empty()) return otherwise;
    return path_of(at) + " takes a verb: " + joined(verbs);
  }
  const std::string& word = words.front();
  if (word.starts_with('-')) {
    return path_of(at) + " has no flag " + word +
           daemon::did_you_mean(word.substr(0, word.find('=')), flags_of(at));
  }
  if (verbs.empty()) return path_of(at) + " does not expect \"" + word + "\"";
  return no_such_verb(at, word);
}

// An answer that standard output did not take is no success.
bool is_all_written() {
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  if (output_has_no_reader()) return true;
  complain(kOutputIsFull);
  return false;
}

}  // namespace

// CLI11 reports by exceptions; all of them are caught here.
int run_command_line(int argc, const char* const* argv) {
  CLI::App app("Elbowroom makes room for Kubernetes pods that grow in place.", "elbowroom");
  app.set_version_flag("--version", std::string("elbowroom ") + ELBOWROOM_VERSION);
  app.require_subcommand(1);
  choose_colours("auto");
  try {
    add_status(app);
    add_doctor(app);
    add_explain(app);
    add_preview(app);
    add_simulate(app);
    add_evict(app);
    add_dump(app);
    add_lab(app);
    add_replay(app);
    add_reference(app);
    add_top(app);
    add_uninstall(app);
    add_version(app);
    add_help(app);
    add_completion(app);
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& stopped) {
    return stopped.get_exit_code();
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked) == 0 && is_all_written() ? 0 : kExitFailure;
  } catch (const CLI::Error& wrong) {
    const auto code = static_cast<CLI::ExitCodes>(wrong.get_exit_code());
    const bool is_about_words =
        code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
    const std::string words = is_about_words ? in_words(app, wrong.what()) : wrong.what();
    complain(words + "\nrun with --help for what there is");
    return kExitUsage;
  }
  return is_all_written() ? 0 : kExitFailure;
}

}  // namespace elbowroom::cli
