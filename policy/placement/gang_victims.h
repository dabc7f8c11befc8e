// Which units are removed so that a gang fits: none that violates a PodDisruptionBudget, where the
// others are enough; of these none above the lowest ceiling of priorities that is enough; and no
// single one that could stay beside the placement. At most kMostPlacements placements are compared,
// and the one of least harm is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/placement/gang_messages.h"
#include "policy/placement/gang_trial.h"
#include "policy/placement/gang_units.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::policy {

// One for each SeatOrder, and the one that scores best once all units within the limit are gone.
// Upstream makes the last one alone.
inline constexpr int kMostPlacements = 4;

class GangVictims {
 public:
  // No member is placed in the trial. `needed`: how many have to be, at least one. Everything must
  // outlive this object.
  GangVictims(GangTrial& trial, const Gang& gang, std::size_t needed)
      : trial_(trial), units_(trial, gang), needed_(needed) {}

  // Places the members in the trial, and removes the victims there. False: they do not fit,
  // whatever is removed; then neither is done.
  [[nodiscard]] bool choose();

  // The victims, most important first: numbers of the trial's units. Requires that choose() did.
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return best_->victims; }
  [[nodiscard]] std::vector<VictimReport> reports() const;
  [[nodiscard]] int budget_violations() const;
  // Places no member, and removes all units that may go, so that the trial shows what stays.
  void remove_all() const;
  // Why no choice is possible: "preemption: ...". `stopped`: a member that fits on no node even so.
  [[nodiscard]] std::string in_vain(const StoppedMember* stopped) const;

 private:
  struct Placement {
    GangHarm harm{};
    std::vector<std::uint32_t> victims{};
    std::vector<std::pair<std::size_t, std::uint32_t>> nodes{};  // of each member, as placed
  };

  [[nodiscard]] bool fits_within(const GangLimit& limit);
  [[nodiscard]] std::optional<GangLimit> lowest_limit(bool spares_budgets);
  [[nodiscard]] std::optional<GangLimit> least_limit();
  void consider();
  void settle();

  GangTrial& trial_;
  GangUnits units_;
  std::size_t needed_;
  bool gave_up_ = false;             // the last search for room did not end
  bool gave_up_on_budgets_ = false;  // the one that spares them
  std::optional<Placement> best_{};
};

}  // namespace elbowroom::policy
