#include "cli/command_names.h"

#include <algorithm>

#include "cli/output/joined.h"
#include "daemon/config/suggestion.h"

namespace elbowroom::cli {

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  // CLI11 hides what has no group.
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

Names verbs_of(const CLI::App& app) {
  Names names;
  for (const CLI::App* each : shown_verbs(app)) names.push_back(each->get_name());
  std::ranges::sort(names);
  return names;
}

Names flags_of(const CLI::App& app) {
  Names names;
  for (const CLI::Option* each : app.get_options()) {
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  }
  std::ranges::sort(names);
  return names;
}

std::string path_of(const CLI::App& app) {
  const std::string above = app.get_parent() == nullptr ? "" : path_of(*app.get_parent()) + " ";
  return above + app.get_name();
}

std::string no_such_verb(const CLI::App& at, const std::string& word) {
  const Names verbs = verbs_of(at);
  if (verbs.empty()) return path_of(at) + " has no verbs";
  const std::string near = daemon::did_you_mean(word, verbs);
  return path_of(at) + " has no verb " + word + (near.empty() ? ": it has " + joined(verbs) : near);
}

}  // namespace elbowroom::cli
