// Plays histories with pod groups by seed: `group_histories FIRST [COUNT]`.
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
      {"group_histories", elbowroom::test::group_history_of, note}, argc, argv);
}
