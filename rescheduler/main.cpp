// elbowroom-rescheduler: keeps the status of disruption budgets, and moves pods. Its parts are in
// rescheduler/program.h, what it does with them from start to end in control/program.h.
#include "control/program.h"
#include "rescheduler/program.h"

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and leaves a core
int main(int argc, char** argv) {
  return elbowroom::control::run_program<elbowroom::rescheduler::Program>(argc, argv);
}
