#include <CLI/CLI.hpp>
#include <string>

#include "cli/verbs.h"

namespace elbowroom::cli {

// CLI11 reports by exceptions; all of them are caught here.
int run_command_line(int argc, const char* const* argv) {
  CLI::App app("Elbowroom makes room for Kubernetes pods that grow in place.", "elbowroom");
  app.set_version_flag("--version", std::string("elbowroom ") + ELBOWROOM_VERSION);
  app.require_subcommand(1);
  try {
    add_doctor(app);
    add_explain(app);
    add_simulate(app);
    add_evict(app);
    add_lab(app);
    add_replay(app);
    add_reference(app);
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& stopped) {
    return stopped.get_exit_code();
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::Error& wrong) {
    complain(std::string(wrong.what()) + "\nrun with --help for what there is");
    return kExitUsage;
  }
  return 0;
}

}  // namespace elbowroom::cli
