// Plays histories of one agent by seed: `fault_histories FIRST [COUNT]`.
#include "test/simulation/history.h"
#include "test/simulation/played_histories.h"

namespace {

using elbowroom::test::History;
using elbowroom::test::Outcome;
using elbowroom::test::Sum;

void note(const Outcome& outcome, Sum& sum) {
  for (const auto& [cause, times] : outcome.further_sets) {
    sum.happened["(victims once more: " + cause + ")"] += times;
  }
  if (outcome.yielded) ++sum.happened["(the agent yielded to another writer)"];
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  return elbowroom::test::play_histories<History, Outcome>(
      {"fault_histories", elbowroom::test::history_of, note}, argc, argv);
}
