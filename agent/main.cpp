// elbowroomd: one agent per node. Its parts are in agent/program/program.h, what it does with them
// from start to end in control/program.h.
#include "agent/program/program.h"
#include "control/program.h"

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and leaves a core
int main(int argc, char** argv) {
  return elbowroom::control::run_program<elbowroom::agent::Program>(argc, argv);
}
