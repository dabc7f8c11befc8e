// Removes the victims that a turn has chosen: begins removals, sends their steps and follows the
// answers. The same decision must hold at a last look before the first delete.
#pragma once

#include <optional>
#include <string>

#include "scheduler/in_flight.h"
#include "scheduler/placing/gang_placer.h"
#include "scheduler/placing/group_reports.h"
#include "scheduler/placing/nominations.h"
#include "scheduler/placing/pod_placer.h"
#include "scheduler/reactor_state.h"
#include "scheduler/removal/removal_end.h"
#include "scheduler/resizing/resize_judge.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class VictimRemover {
 public:
  // All must live as long.
  VictimRemover(ReactorState& state, Turns& turns, ResizeJudge& judge, PodPlacer& placer,
                GangPlacer& gangs, PendingReports& reports, Nominations& nominations,
                RemovalEnd& end, GroupReports& groups)
      : state_(state),
        turns_(turns),
        judge_(judge),
        placer_(placer),
        gangs_(gangs),
        reports_(reports),
        nominations_(nominations),
        end_(end),
        groups_(groups) {}

  void begin(RemovalRequest request);
  // Continues the removals whose answers came while no write was allowed.
  void drive_held_up();
  // A new leadership begins none of them again: marks tell what was begun.
  void forget_all();

  // The answer to a step. `preemptor`: as the API server has it, where it was asked.
  void step_done(const RemovalStep& step, const std::optional<policy::Pod>& preemptor);
  void step_done(const RemovalStep& step, const policy::PodGroup& group);
  void step_failed(const RemovalStep& step, const Error& error);
  // The answer of a ledger; `budget`: as it is now.
  void ledger_done(const LedgerTask& task, policy::DisruptionBudget budget);
  void ledger_failed(const LedgerTask& task, const Error& error);

 private:
  void drive(Removal& removal);
  void debit(Removal& removal);
  void follow_ledgers();
  void take(const cluster::DebitQueue::Verdict& verdict);
  void hold_budgets(Removal& removal);
  void refresh_budgets(const Removal& removal);
  void release_budgets(const Removal& removal);
  void count(Removal& removal);
  [[nodiscard]] bool is_kept(const Removal& removal) const;
  void look_again(Removal& removal);
  void look_again_beside_debits(Removal& removal);
  void look_again_for_pod(Removal& removal);
  void look_again_for_gang(Removal& removal);
  void record_set(Removal& removal, const cluster::NodeView& view);
  void go_on(Removal& removal);
  void take_steps(Removal& removal);
  void step_ended(const RemovalStep& step, const std::optional<Error>& error);
  void delete_ended(const RemovalStep& step, const Victim& victim,
                    const std::optional<Error>& error);
  void note_refusal(const RemovalStep& step, const Error& error);
  void tell_of_delete(const RemovalStep& step, const Victim& victim,
                      const std::optional<Error>& error);
  [[nodiscard]] bool goes_whole(const RemovalStep& step, const Victim& victim);
  void assume(const Victim& victim, bool asked_by_us);
  void uncharge(const Victim& victim);
  void undebit(const Removal* removal, const Victim& victim);
  [[nodiscard]] std::optional<policy::Pod> known(const Victim& victim) const;

  ReactorState& state_;
  Turns& turns_;
  ResizeJudge& judge_;
  PodPlacer& placer_;
  GangPlacer& gangs_;
  PendingReports& reports_;
  Nominations& nominations_;
  RemovalEnd& end_;
  GroupReports& groups_;
};

}  // namespace elbowroom::scheduler
