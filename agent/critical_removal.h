// The removal of victims for one Deferred resize of a critical pod. It has stages, each finished
// for the whole set before the next begins: durable intent, marks, dry run (for sets of two or
// more), deletes. One refusal before the first delete, and no pod is removed.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/effect.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// The state of a removal and the earlier removals: everything that CriticalRemoval remembers.
struct RemovalProgress {
  enum class Stage { Idle, Saving, Marking, Checking, Deleting, Clearing };
  using Step = std::variant<MarkVictim, DeleteVictim>;

  // A set that was removed, or may be removed yet; counted by the circuit breaker.
  struct Removed {
    std::chrono::milliseconds at{0};
    std::string preemptor_uid{};
    std::size_t victims = 0;
    std::string victim{};  // uid of the first; "": not known

    friend bool operator==(const Removed&, const Removed&) = default;
  };

  Stage stage = Stage::Idle;
  std::optional<RemovalIntent> intent{};  // none: Idle
  std::vector<MarkVictim> marks{};
  std::vector<Step> waiting{};  // not taken yet
  std::size_t outstanding = 0;
  bool refused = false;
  bool ended_refused = false;
  std::chrono::milliseconds saved_at{0};
  std::deque<Removed> removed{};  // the one in progress is last
  // Since when more pods may have been removed than is known: from then on, one set is allowed
  // within the window.
  std::optional<std::chrono::milliseconds> blind_since{};
  bool blind_set_went = false;

  friend bool operator==(const RemovalProgress&, const RemovalProgress&) = default;
};

//   idle --begin--> Saving --saved--> Marking --all done--> Checking --all done--> Deleting -->
//   idle
//                     |                  |                     |
//                     `---- failed ------+------ failed -------'---> Clearing (marks) --> idle
class CriticalRemoval {
 public:
  using Stage = RemovalProgress::Stage;
  using Step = RemovalProgress::Step;

  // Limits of design 5: sets for one pod, and pods of the node, in any ten minutes.
  static constexpr int kMostSetsPerPod = 3;
  static constexpr int kMostPodsPerNode = 10;
  static constexpr std::chrono::minutes kWindow{10};

  CriticalRemoval() = default;
  explicit CriticalRemoval(RemovalProgress progress) : progress_(std::move(progress)) {}

  [[nodiscard]] bool busy() const { return progress_.stage != Stage::Idle; }
  // The intent is being saved.
  [[nodiscard]] bool is_saving() const { return progress_.stage == Stage::Saving; }

  // Returns whether the circuit breaker allows the removal of `victims` more pods for that
  // preemptor now.
  [[nodiscard]] bool allowed(const std::string& preemptor_uid, std::size_t victims,
                             std::chrono::milliseconds now) const;

  // Returns how many more pods of the node it would allow now.
  [[nodiscard]] std::size_t remaining(std::chrono::milliseconds now) const;

  // Sets what was counted before a restart, oldest first. Call it before anything else.
  void remember(std::deque<RemovalProgress::Removed> removed) {
    progress_.removed = std::move(removed);
  }

  // Earlier removals are unknown, at least in part.
  void count_as_used(std::chrono::milliseconds now);

  // Begins with a set whose intent is being saved. `again`: the set was begun and counted before a
  // restart. Requires !busy().
  void begin(RemovalIntent intent, std::vector<MarkVictim> marks, bool again,
             std::chrono::milliseconds now);

  // Cancels a removal that has not begun, and removes the marks of one that has.
  void abandon();

  // The intent is durable (or not: nothing happens). If pods are removed, the breaker counts them
  // at `now`.
  void intent_saved(bool durable, std::chrono::milliseconds now);

  // Returns the steps to perform next; each must be answered by finished(). Empty while answers are
  // awaited.
  [[nodiscard]] std::vector<Step> take_steps();
  void finished(bool ok);

  // Returns true once after a set was refused: the next one must back off.
  [[nodiscard]] bool take_refusal() { return std::exchange(progress_.ended_refused, false); }

  [[nodiscard]] const std::optional<RemovalIntent>& intent() const { return progress_.intent; }
  [[nodiscard]] const RemovalProgress& progress() const { return progress_; }

  friend bool operator==(const CriticalRemoval&, const CriticalRemoval&) = default;

 private:
  void advance();
  void end();
  void fill(Stage stage);
  void take_back_count();
  [[nodiscard]] bool is_blind(std::chrono::milliseconds now) const;

  RemovalProgress progress_{};
};

}  // namespace elbowroom::agent
