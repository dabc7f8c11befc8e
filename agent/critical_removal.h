// The removal of pods for one Deferred resize of a critical pod. The one thing to know: it goes in
// stages, each finished for the whole set before the next begins: durable intent, marks, dry run
// (for sets of two or more), deletes; one refusal before the first delete and nobody is removed.
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

#include "agent/checkpoint.h"
#include "agent/effect.h"
#include "policy/pod.h"

namespace elbowroom::agent {

//   idle --begin--> Saving --saved--> Marking --all done--> Checking --all done--> Deleting -->
//   idle
//                     |                  |                     |
//                     `---- failed ------+------ failed -------'---> Clearing (marks) --> idle
class CriticalRemoval {
 public:
  using Step = std::variant<MarkVictim, DeleteVictim>;

  // Limits of design 5: sets for one pod, and pods of the node, in any ten minutes.
  static constexpr int kMostSetsPerPod = 3;
  static constexpr int kMostPodsPerNode = 10;
  static constexpr std::chrono::minutes kWindow{10};

  [[nodiscard]] bool busy() const { return stage_ != Stage::Idle; }

  // Whether the circuit breaker lets `victims` more pods go for that preemptor now.
  [[nodiscard]] bool allowed(const std::string& preemptor_uid, std::size_t victims,
                             std::chrono::milliseconds now) const;

  // Begins with a set whose intent is being made durable. Requires !busy().
  void begin(RemovalIntent intent, std::vector<MarkVictim> marks);

  // The intent is durable (or not: nothing happens). `now` counts for the breaker where pods go.
  void intent_saved(bool durable, std::chrono::milliseconds now);

  // The steps to perform next; each is to be answered by finished(). Empty while answers are
  // awaited.
  [[nodiscard]] std::vector<Step> take_steps();
  void finished(bool ok);

  // True once after a set was refused: the next one should wait a while.
  [[nodiscard]] bool take_refusal() { return std::exchange(ended_refused_, false); }

  [[nodiscard]] const std::optional<RemovalIntent>& intent() const { return intent_; }

 private:
  enum class Stage { Idle, Saving, Marking, Checking, Deleting, Clearing };
  void advance();
  void fill(Stage stage);

  struct Removed {
    std::chrono::milliseconds at{0};
    std::string preemptor_uid{};
    std::size_t victims = 0;
  };

  Stage stage_ = Stage::Idle;
  std::optional<RemovalIntent> intent_{};
  std::vector<MarkVictim> marks_{};
  std::vector<Step> waiting_{};  // not taken yet
  std::size_t outstanding_ = 0;
  bool refused_ = false;
  bool ended_refused_ = false;
  std::chrono::milliseconds saved_at_{0};
  std::deque<Removed> removed_{};
};

}  // namespace elbowroom::agent
