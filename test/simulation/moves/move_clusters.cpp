// Plays clusters that the rescheduler brings to rest, by seed: `move_clusters FIRST [COUNT]`.
#include "test/simulation/moves/move_history.h"
#include "test/simulation/played_histories.h"

namespace {

using elbowroom::test::MoveHistory;
using elbowroom::test::MoveOutcome;
using elbowroom::test::Sum;

void note(const MoveOutcome& outcome, Sum& sum) {
  for (const auto& [name, times] : outcome.did) sum.happened["(" + name + ")"] += times;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  return elbowroom::test::play_histories<MoveHistory, MoveOutcome>(
      {"move_clusters", elbowroom::test::move_cluster_of, note}, argc, argv);
}
