// The effects of one observation, and those of earlier ones that are not answered yet. Ids grow by
// one with each effect.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "rescheduler/effect.h"

namespace elbowroom::rescheduler {

struct LeaseWrite {};
struct CutOff {};
// The status of that budget, NAMESPACE/NAME.
struct StatusWrite {
  std::string budget{};
};
// The annotation of that node.
struct AvoidWrite {
  std::string node{};
};
// The ledger of a DisruptionBudget is read or written.
struct LedgerTask {
  enum class Of : std::uint8_t { Moves, Reviews };

  cluster::BudgetName budget{};
  bool reads = false;
  Of of = Of::Moves;  // whose debit it is
};
// A step of the move of the pod with that uid.
struct MoveStep {
  std::string uid{};
};
// An entry of pods to avoid is taken back.
struct AllowWrite {};
struct RestsWrite {};
using InFlight = std::variant<LeaseWrite, CutOff, StatusWrite, AvoidWrite, LedgerTask, MoveStep,
                              AllowWrite, RestsWrite>;

class Outbox {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  template <class What>
  void emit(What what, Time not_after, InFlight whose) {
    const EffectId id = ++last_;
    effects_.push_back({.id = id, .not_after = not_after, .what = std::move(what)});
    if (std::holds_alternative<StatusWrite>(whose)) ++writes_;
    if (std::holds_alternative<AvoidWrite>(whose)) ++drops_;
    if (is_of_move(whose)) ++moves_;
    in_flight_.emplace(id, std::move(whose));
  }
  // Nothing waits for an event or an answer, and nothing is told of it.
  void emit(EmitEvent event) {
    effects_.push_back({.id = ++last_, .not_after = {}, .what = std::move(event)});
  }
  void emit(AnswerReview answer) {
    effects_.push_back({.id = ++last_, .not_after = {}, .what = std::move(answer)});
  }
  // Returns what the effect was for, and forgets it; nothing if it is answered already.
  [[nodiscard]] std::optional<InFlight> answered(EffectId id) {
    const auto at = in_flight_.find(id);
    if (at == in_flight_.end()) return std::nullopt;
    InFlight whose = std::move(at->second);
    in_flight_.erase(at);
    if (std::holds_alternative<StatusWrite>(whose)) --writes_;
    if (std::holds_alternative<AvoidWrite>(whose)) --drops_;
    if (is_of_move(whose)) --moves_;
    return whose;
  }

  // Returns the effects since the last call.
  [[nodiscard]] Effects take() { return std::exchange(effects_, {}); }
  // The numbers of statuses and of annotations in flight.
  [[nodiscard]] std::size_t writes() const { return writes_; }
  [[nodiscard]] std::size_t drops() const { return drops_; }
  // The number of writes in flight that a move, or a debit, takes.
  [[nodiscard]] std::size_t moves() const { return moves_; }

 private:
  static bool is_of_move(const InFlight& whose) {
    return std::holds_alternative<LedgerTask>(whose) || std::holds_alternative<MoveStep>(whose) ||
           std::holds_alternative<AllowWrite>(whose) || std::holds_alternative<RestsWrite>(whose);
  }

  std::map<EffectId, InFlight> in_flight_{};
  std::size_t writes_ = 0;
  std::size_t drops_ = 0;
  std::size_t moves_ = 0;
  EffectId last_ = 0;
  Effects effects_{};
};

}  // namespace elbowroom::rescheduler
