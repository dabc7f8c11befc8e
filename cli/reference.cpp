// `elbowroom reference`: prints the pages of docs/ that come from the code's own tables.
#include <array>
#include <iostream>

#include "agent/program/config.h"
#include "agent/program/metric_families.h"
#include "agent/worker/agent_rbac.h"
#include "agent/write/event_table.h"
#include "cli/evict/event_table.h"
#include "cli/evict/evict_rbac.h"
#include "cli/verbs.h"
#include "daemon/config/config_page.h"
#include "rescheduler/config.h"
#include "rescheduler/event_table.h"
#include "rescheduler/rescheduler_metrics.h"
#include "rescheduler/rescheduler_rbac.h"
#include "scheduler/config.h"
#include "scheduler/event_table.h"
#include "scheduler/metric_families.h"
#include "scheduler/scheduler_rbac.h"

namespace elbowroom::cli {

void add_reference(CLI::App& app) {
  CLI::App* reference = app.add_subcommand("reference", "print a reference page, in Markdown");
  reference->require_subcommand(1);
  reference->add_subcommand("metrics", "the metrics of the daemons")->callback([] {
    std::cout << daemon::metrics_page("elbowroomd", agent::agent_families()) << "\n"
              << daemon::metrics_page("elbowroom-scheduler", scheduler::scheduler_families())
              << "\n"
              << daemon::metrics_page("elbowroom-rescheduler", rescheduler::rescheduler_families());
  });
  reference->add_subcommand("configuration", "the configuration of the daemons")->callback([] {
    std::cout << daemon::config_page("elbowroomd", agent::agent_schema()) << "\n"
              << daemon::config_page("elbowroom-scheduler", scheduler::scheduler_schema()) << "\n"
              << daemon::config_page("elbowroom-rescheduler", rescheduler::rescheduler_schema());
  });
  reference->add_subcommand("events", "the Kubernetes Events of the programs")->callback([] {
    std::cout << agent::events_page() << "\n"
              << scheduler::events_page() << "\n"
              << rescheduler::events_page() << "\n"
              << cli::events_page();
  });
  reference->add_subcommand("rbac", "what the programs ask the API server for")->callback([] {
    constexpr std::array<api::Role, 7> kRoles = {
        {{"elbowroom-agent", "elbowroomd in mode `companion`", agent::kCompanionRights},
         {"elbowroom-agent-authority", "elbowroomd in mode `authority`", agent::kAuthorityRights},
         {"elbowroom-scheduler", "elbowroom-scheduler", scheduler::kRights},
         {"elbowroom-scheduler-full", "elbowroom-scheduler in mode `full`, besides",
          scheduler::kFullRights},
         {"elbowroom-rescheduler", "elbowroom-rescheduler", rescheduler::kRights},
         {"elbowroom-evict", "people who use `elbowroom evict`", kEvictRights},
         {"elbowroom-avoid-node", "people who use `elbowroom evict --avoid-node`, besides",
          kAvoidNodeRights}}};
    std::cout << api::rbac_page(kRoles);
  });
}

}  // namespace elbowroom::cli
