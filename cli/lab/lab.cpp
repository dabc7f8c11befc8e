#include "cli/lab/lab_demo.h"
#include "cli/lab/lab_kubelet.h"
#include "cli/lab/lab_up.h"
#include "cli/verbs.h"

namespace elbowroom::cli {

void add_lab(CLI::App& app) {
  CLI::App* lab = app.add_subcommand("lab", "clusters without machines, to try things out");
  lab->require_subcommand(1);
  add_lab_up(*lab);
  add_lab_kubelet(*lab);
  add_lab_demo(*lab);
}

}  // namespace elbowroom::cli
