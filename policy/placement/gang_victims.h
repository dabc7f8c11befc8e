// Which units are removed so that a gang fits: none above the lowest ceiling of priorities that is
// enough, and no single one that could stay beside the placement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/gang_trial.h"
#include "policy/placement/pod_preemption.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::policy {

class GangVictims {
 public:
  // No member is placed in the trial. `needed`: how many have to be. Everything must outlive this
  // object.
  GangVictims(GangTrial& trial, const Gang& gang, const ScheduleTerms& terms, std::size_t needed);

  // Places the members in the trial, and removes the victims there. False: they do not fit,
  // whatever is removed; then neither is done.
  [[nodiscard]] bool choose();

  // The victims, most important first: numbers of the trial's units.
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  [[nodiscard]] std::vector<VictimReport> reports() const;
  [[nodiscard]] int budget_violations() const;
  // Why no choice is possible: "preemption: ...".
  [[nodiscard]] std::string in_vain() const;

 private:
  // What removing some units costs, beside what is gone already; less is better.
  struct Cost {
    std::int64_t violations = 0;
    std::int64_t priorities = 0;  // each raised by 2^31
    std::int64_t victims = 0;
    bool has_started = false;
    std::int64_t negated_start = 0;

    friend auto operator<=>(const Cost&, const Cost&) = default;
  };
  struct Seat {
    std::uint32_t node = 0;
    bool fits = false;
    Cost cost{};
    std::vector<std::uint32_t> victims{};
  };

  void rate();
  void drop_forbidden();
  [[nodiscard]] bool fits_below(std::int64_t ceiling);
  [[nodiscard]] std::optional<std::int64_t> lowest_ceiling();
  [[nodiscard]] bool place_with_least_harm();
  [[nodiscard]] bool place_by_score();
  [[nodiscard]] Seat seat_on(std::size_t member, std::uint32_t node);
  [[nodiscard]] Cost cost_of(const std::vector<std::uint32_t>& units) const;
  void remove_up_to(std::int64_t ceiling);
  void put_all_back();
  void reprieve();
  [[nodiscard]] bool is_up_to(std::uint32_t unit, std::int64_t ceiling) const;
  [[nodiscard]] std::vector<std::uint32_t> by_importance(std::vector<std::uint32_t> units) const;

  GangTrial& trial_;
  const Gang& gang_;
  const ScheduleTerms& terms_;
  std::size_t needed_;
  std::vector<std::int32_t> violating_{};  // by unit
  std::vector<bool> is_marked_{};          // by unit
  std::vector<bool> is_forbidden_{};       // by unit: a hard budget
  std::int64_t ceiling_ = 0;
  std::vector<std::uint32_t> chosen_{};
};

}  // namespace elbowroom::policy
