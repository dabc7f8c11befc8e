#include "cli/scenario/simulate_run.h"
#include "cli/simulate_reschedule.h"
#include "cli/simulate_resize.h"
#include "cli/simulate_schedule.h"
#include "cli/verbs.h"

namespace elbowroom::cli {

void add_simulate(CLI::App& app) {
  CLI::App* simulate = app.add_subcommand("simulate", "say what would happen; nothing is written");
  simulate->require_subcommand(1);
  add_simulate_resize(*simulate);
  add_simulate_schedule(*simulate);
  add_simulate_reschedule(*simulate);
  add_simulate_run(*simulate);
}

}  // namespace elbowroom::cli
