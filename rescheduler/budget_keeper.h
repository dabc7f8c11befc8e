// Keeps the status of every DisruptionBudget: one write a change, at most one a second for a
// budget. What was written counts once the watch shows it; until then nothing is written over it.
//
//   something changed, time came --> due --> looked at: nothing to say --> due when time changes it
//                                     ^          | WriteBudget
//                                     |          v
//       the watch shows another version <--- answered: Done, Conflict
//       backoff                         <--- answered: another error
//
// The status of a budget that is not understood says so, once for each reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "control/deadline_queue.h"
#include "policy/ledger/budget_keeping.h"
#include "policy/model/time.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/counters.h"
#include "rescheduler/outbox.h"
#include "rescheduler/turn.h"

namespace elbowroom::rescheduler {

class BudgetKeeper {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must outlive it.
  BudgetKeeper(const ClusterState& cluster, Outbox& outbox, Counts& counts)
      : cluster_(cluster), outbox_(outbox), counts_(counts) {}

  void look_at(const ClusterState::Keys& budgets, Time now);
  // Nothing of an earlier leadership is relied upon, and the server's clock may be another.
  void look_at_all(Time now);

  // Looks at the budgets that are due, a few dozen at most.
  void work(const Turn& turn);

  void written(const std::string& budget, Time now);
  void not_written(const std::string& budget, const Error& error, Time now);

  [[nodiscard]] std::optional<Time> next() const;
  // Why the last write failed for another reason than a conflict; "" where one succeeded since.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  // What the status is to be at that time.
  [[nodiscard]] static policy::BudgetKeeping keeping(const ClusterState& cluster,
                                                     const policy::DisruptionBudget& budget,
                                                     policy::Time server);

 private:
  struct Writing {
    Time not_before{0};  // the next write
    bool in_flight = false;
    std::string version{};  // that it was written over
    Time shown_by{0};       // until then the watch is waited for to show another version
    int failures = 0;       // in a row
    int unshown = 0;        // answered, in a row, and not shown
    std::size_t refunded = 0;
    std::size_t entered = 0;
    std::string reported{};  // why it is not understood; "": it is, or that is not written
  };

  void look(const std::string& key, const Turn& turn);
  void look_at_odd(const std::string& key, const Turn& turn);
  // When it may be looked at; none: when it is answered.
  [[nodiscard]] static std::optional<Time> may_look(const Writing& writing,
                                                    const std::string& version, Time now);
  void wait_for_watch(const std::string& budget, Writing& writing, Time now);

  const ClusterState& cluster_;
  Outbox& outbox_;
  Counts& counts_;
  std::map<std::string, Writing, std::less<>> writings_{};  // by budget
  control::DeadlineQueue due_{};
  std::string trouble_{};
};

}  // namespace elbowroom::rescheduler
