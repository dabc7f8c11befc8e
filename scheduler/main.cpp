// elbowroom-scheduler: makes room for Deferred resizes. Its parts are in scheduler/program.h, what
// it does with them from start to end in control/program.h.
#include "control/program.h"
#include "scheduler/program.h"

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and leaves a core
int main(int argc, char** argv) {
  return elbowroom::control::run_program<elbowroom::scheduler::Program>(argc, argv);
}
