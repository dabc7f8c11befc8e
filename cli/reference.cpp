// `elbowroom reference`: the pages of docs/ that are printed from the code's own tables.
#include <iostream>

#include "agent/event_table.h"
#include "agent/metric_families.h"
#include "cli/verbs.h"

namespace elbowroom::cli {

void add_reference(CLI::App& app) {
  CLI::App* reference = app.add_subcommand("reference", "print a reference page, in Markdown");
  reference->require_subcommand(1);
  reference->add_subcommand("metrics", "the metrics of elbowroomd")->callback([] {
    std::cout << daemon::metrics_page("elbowroomd", agent::agent_families());
  });
  reference->add_subcommand("events", "the Kubernetes Events of elbowroomd")->callback([] {
    std::cout << agent::events_page();
  });
}

}  // namespace elbowroom::cli
