// The debits of one eviction in the ledgers of all DisruptionBudgets that cover its pod: all of
// them are written, or none.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/codec/object_ref.h"
#include "base/result.h"
#include "cli/evict/cluster_writer.h"
#include "policy/ledger/ledger.h"

namespace elbowroom::cli {

// A budget that refuses.
struct BudgetRefusal {
  std::string budget{};  // NAMESPACE/NAME
  std::int64_t allowed = 0;
  std::optional<policy::Time> next{};
};

class BudgetDebits {
 public:
  // `pods`: all of the pod's namespace. What is given must outlive this object. `tell` gets what
  // the user is to know, such as a soft budget that could not be written.
  BudgetDebits(ClusterWriter& writer, std::span<const policy::Pod> pods, const policy::Pod& victim,
               std::function<void(const std::string&)> tell)
      : writer_(writer), pods_(pods), victim_(victim), tell_(std::move(tell)) {}

  // Asks all budgets, and writes nothing: those that refuse.
  [[nodiscard]] Result<std::vector<BudgetRefusal>> ask(
      std::span<const policy::DisruptionBudget> budgets);
  // Writes them, each at the version that was read; where another program writes meanwhile it reads
  // and decides again, five times. Where one refuses, what was written is taken back. Conflict: the
  // budget keeps changing; other errors: a hard budget cannot be written.
  [[nodiscard]] Result<std::optional<BudgetRefusal>> write(
      std::span<const policy::DisruptionBudget> budgets);
  // Takes back what was written. What cannot be taken back is told; it is refunded by the next
  // program that writes the budget.
  void take_back();

 private:
  enum class Wish { Ask, Write };
  [[nodiscard]] Result<std::optional<BudgetRefusal>> written(
      std::span<const policy::DisruptionBudget> budgets);
  [[nodiscard]] Result<std::optional<BudgetRefusal>> one(const policy::DisruptionBudget& known,
                                                         Wish wish);
  [[nodiscard]] Result<void> refund(const api::ObjectRef& budget);

  ClusterWriter& writer_;
  std::span<const policy::Pod> pods_;
  const policy::Pod& victim_;
  std::function<void(const std::string&)> tell_;
  std::vector<api::ObjectRef> written_{};
};

}  // namespace elbowroom::cli
