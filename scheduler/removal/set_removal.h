// The removal of a set of pods for one Deferred resize, or one pending pod. It goes in stages, each
// finished for the whole set before the next begins: marks, and beside them a look at the preemptor
// as the API server has it; dry run (for sets of two or more); a last look at what was seen
// meanwhile; debits, where budgets cover victims; deletes. If one request is refused before the
// first delete, no pod is removed.
//
//      .------------confirm_again--+------------.
//      v                           |            |
//   Marking --> Checking -------> Ready ---> Debiting ---> Deleting --> Ended
//      |           |               |            |
//      `-----------+---------------+------------+--failed, disprove, abandon--> Clearing --> Ended
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/removal_mark.h"
#include "policy/model/time.h"
#include "scheduler/effect.h"

namespace elbowroom::scheduler {

// The pod, or the gang, that victims are removed for.
struct Preemptor {
  std::string key{};
  std::string uid{};
  std::int64_t generation = 0;
  std::string node{};
  bool is_pending = false;  // it is to be placed on that node; else its resize is Deferred there
  // A gang: `key` is its gang_id(), `generation` 0, `node` empty. Its pods that are to be placed.
  bool is_group = false;
  std::vector<Victim> members{};

  friend bool operator==(const Preemptor&, const Preemptor&) = default;
};

class SetRemoval {
 public:
  enum class Stage : std::uint8_t { Marking, Checking, Ready, Debiting, Deleting, Clearing, Ended };
  enum class Outcome : std::uint8_t {
    Removed,     // every delete was accepted
    Incomplete,  // an error in between: to be tried again; what was not deleted may be marked still
    Refused,     // by the server, every delete or something before: no pod is removed
    Overtaken,   // abandoned, before the first delete: no pod is removed
    Outdated,    // the API server knows another preemptor than was seen: no pod is removed
  };
  using Step = std::variant<MarkVictim, DeleteVictim, ConfirmResize, ConfirmGroup>;

  // `victims` as they were seen when they were chosen; those that carry the mark of this very
  // resize are not marked again.
  SetRemoval(Preemptor preemptor, std::vector<policy::Pod> victims, policy::Time now);

  // More steps of one set are not in flight at a time.
  static constexpr std::size_t kMostInFlight = 64;

  // Returns the next steps of the present stage, as many as may be in flight; finished() must
  // answer each.
  [[nodiscard]] std::vector<Step> take_steps();
  void finished(const Step& step, const std::optional<Error>& error);

  // Before the first delete: the API server's answer to ConfirmResize is another one than was
  // expected. To be called before that step is finished().
  void disprove(const std::string& why);

  // Before the deletes, where the answer is older than it may be: the preemptor is to be looked at
  // again.
  void confirm_again();
  // In Ready: the victims are entered in the ledgers of budgets, which is not done here.
  void debit();
  // In Debiting: a budget cannot be debited, and no pod is removed.
  void debit_failed(const Error& error, const policy::PodText& why);
  // In Ready or Debiting: the deletes may be sent.
  void go_on();
  // Before the first delete: no pod is removed. Marks are taken back.
  void abandon(const policy::PodText& why);

  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] const Preemptor& preemptor() const { return preemptor_; }
  [[nodiscard]] const std::vector<policy::Pod>& victims() const { return victims_; }
  // Once it has ended.
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  // At least one pod is or may be removed: a delete was accepted, or its answer was lost.
  [[nodiscard]] bool has_begun() const { return is_begun_; }
  // Why it was abandoned, or what failed of the deletes; "" for nothing.
  [[nodiscard]] const policy::PodText& trouble() const { return trouble_; }
  // It was refused because the server does not show the preemptor, not because of a victim.
  [[nodiscard]] bool is_unconfirmed() const { return is_unconfirmed_; }
  // For how long the server wished not to be asked again; 0: it said nothing.
  [[nodiscard]] std::chrono::milliseconds retry_after() const { return retry_after_; }

 private:
  void enter(Stage stage);
  void advance();

  Preemptor preemptor_;
  std::vector<policy::Pod> victims_;
  policy::Time chosen_at_{};
  Stage stage_ = Stage::Marking;
  std::vector<Step> waiting_{};  // not taken yet
  std::size_t outstanding_ = 0;
  bool is_unconfirmed_ = false;
  bool is_begun_ = false;         // a delete may have been accepted
  std::vector<Victim> marked_{};  // by us, now
  Outcome outcome_ = Outcome::Removed;
  policy::PodText trouble_{};
  std::chrono::milliseconds retry_after_{0};
};

// Not passing: the same request would be refused again.
[[nodiscard]] bool is_refusal(const Error& error);

// Whether a mark of ours is for a pending pod or a gang, or for a gang; else it is for a resize.
[[nodiscard]] bool is_for_pending(const policy::Condition& mark);
[[nodiscard]] bool is_for_group(const policy::Condition& mark);

// What the circuit breaker counts where that pod goes: the pod, or the group that goes whole with
// it.
[[nodiscard]] std::string counted_uid(const policy::Pod& victim);

// The name of a removal. Of a gang: the group's.
[[nodiscard]] Victim victim_of(const policy::Pod& pod);
[[nodiscard]] Victim named(const Preemptor& preemptor);

}  // namespace elbowroom::scheduler
