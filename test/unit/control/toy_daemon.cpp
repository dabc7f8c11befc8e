// elbowroom-toy: a daemon that has only a main() beside its reactor, its collections and its
// configuration.
#include "test/unit/control/toy_daemon.h"

#include "control/program.h"
#include "control/program_parts.h"

namespace {

using namespace elbowroom;

class Program : public control::ProgramParts<toy::Parts, toy::Config> {
 public:
  static constexpr std::string_view kAbout = "Deletes pods that failed";
  static constexpr std::string_view kNotExplained = " has failed";

  using ProgramParts::ProgramParts;

  static daemon::MetricFamilies families() {
    return control::replica_families(toy::kCollectionTable, {"leases", "events"});
  }
};

}  // namespace

int main(int argc, char** argv) { return control::run_program<Program>(argc, argv); }
