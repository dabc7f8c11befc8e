// `elbowroom help`: what --help says of a verb, with the verb as words.
#include "cli/command_names.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

void print_help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    const CLI::App* below = nullptr;
    for (const CLI::App* each : shown_verbs(*at)) {
      if (each->get_name() == word) below = each;
    }
    if (below == nullptr) {
      stop(kExitUsage, no_such_verb(*at, word) + "\nrun with --help for what there is");
    }
    at = below;
  }
  // Not at->help(), which is that of the verb that runs.
  print(at->get_formatter()->make_help(at, path_of(*at), CLI::AppFormatMode::Normal));
}

}  // namespace

void add_help(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("help", "what a verb is for, and its options");
  add_valued(*verb, "verb", "the verb, in one word or more")
      ->expected(-1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("VERB");
  verb->footer("example:\n  elbowroom help simulate resize");
  verb->callback([verb, &app] { print_help(app, values_of(*verb, "verb")); });
}

}  // namespace elbowroom::cli
