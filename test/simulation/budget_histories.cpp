// Plays histories with DisruptionBudgets by seed: `budget_histories FIRST [COUNT]`.
#include "test/simulation/cluster_history.h"
#include "test/simulation/played_histories.h"

namespace {

using elbowroom::test::ClusterHistory;
using elbowroom::test::ClusterOutcome;
using elbowroom::test::Sum;

void note(const ClusterOutcome& outcome, Sum& sum) {
  for (const auto& [name, times] : outcome.did) sum.happened["(" + name + ")"] += times;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  return elbowroom::test::play_histories<ClusterHistory, ClusterOutcome>(
      {"budget_histories", elbowroom::test::budget_history_of, note}, argc, argv);
}
