// Histories with DisruptionBudgets: those of the small cluster, with hard and soft budgets over its
// pods, with another program that evicts, and with a rescheduler that is late.
#include <algorithm>
#include <random>
#include <utility>

#include "test/simulation/cluster_history.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = ClusterStep::Kind;

class BudgetWriter {
 public:
  explicit BudgetWriter(std::uint64_t seed)
      : random_(seed * 0x9e3779b97f4a7c15ULL + 26), history_(cluster_history_of(seed)) {
    history_.seed = seed;
    history_.budgets = true;
    history_.critical_by_node = false;  // an agent does not debit before it removes
  }

  ClusterHistory write() {
    for (const char* name : {"ours-x", "ours-y"}) {
      if (!one_in(4)) budget(name, milliseconds(0));
    }
    milliseconds end = seconds(1);
    for (const ClusterStep& each : history_.steps) end = std::max(end, each.at);
    for (std::int64_t i = number(12); i > 0; --i) {
      const milliseconds at(1 + number(end.count()));
      if (one_in(6)) {
        contend(at);
      } else if (one_in(6)) {
        budget(one_in(2) ? "ours-x" : "ours-y", at);
      } else {
        evict(at);
      }
    }
    if (!one_in(4)) keep_until(end);
    std::ranges::stable_sort(history_.steps, {}, &ClusterStep::at);
    return std::move(history_);
  }

 private:
  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }

  void budget(const std::string& name, milliseconds at) {
    ClusterStep step{.kind = Kind::OwnBudget, .at = at};
    step.pod = name;
    step.a = at.count() > 0 && one_in(3) ? -1 : number(3);
    step.b = one_in(4) ? 0 : 1 + number(2);
    step.c = one_in(4) ? 0 : 1;
    step.down = seconds(30 + number(240));
    history_.steps.push_back(step);
  }

  void evict(milliseconds at) {
    ClusterStep step{.kind = Kind::Evict, .at = at};
    step.pod = "p" + std::to_string(number(8));
    step.a = one_in(4) ? 1 : 0;
    step.b = one_in(3) ? 1 : 0;
    step.down = milliseconds(number(one_in(4) ? 20'000 : 500));
    history_.steps.push_back(step);
  }

  void contend(milliseconds at) {
    ClusterStep step{.kind = Kind::Contend, .at = at};
    step.pod = one_in(2) ? "ours-x" : "ours-y";
    step.a = 1 + number(8);
    history_.steps.push_back(step);
  }

  void keep_until(milliseconds end) {
    milliseconds at(1 + number(20'000));
    while (at < end) {
      ClusterStep step{.kind = Kind::Keep, .at = at};
      step.a = one_in(12) ? 1 : 0;
      step.b = one_in(3) ? 1 : 0;
      history_.steps.push_back(step);
      at += milliseconds(200 + number(one_in(6) ? 90'000 : 8'000));
    }
  }

  std::mt19937_64 random_;
  ClusterHistory history_;
};

}  // namespace

ClusterHistory budget_history_of(std::uint64_t seed) { return BudgetWriter(seed).write(); }

}  // namespace elbowroom::test
