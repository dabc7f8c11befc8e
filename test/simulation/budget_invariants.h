// The invariants of hard DisruptionBudgets, checked against the API server's own objects: a pod is
// entered in the ledger of each that covers it before it goes, the ledger names a uid once, and at
// no moment have more gone than rate and strength allow. A budget counts from the time on by which
// each program has seen it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/virtual/simulation.h"

namespace elbowroom::test {

class BudgetInvariants {
 public:
  // `upstream`: by upstream's rules, to the schedulers a hard budget is a preference.
  BudgetInvariants(lab::Simulation& simulation, bool upstream,
                   std::function<void(std::string)> broken)
      : simulation_(simulation), upstream_(upstream), broken_(std::move(broken)) {}

  // One of our programs has the API server remove that pod.
  void asked_to_remove(const std::string& uid);
  void world_changed();
  // The rescheduler has had time for it: no entry names a pod that lives on.
  void check_refunds();

 private:
  using Span = lab::Simulation::Span;

  // What a hard budget has let go, by when.
  struct Account {
    std::string uid{};                   // of the budget
    std::string spec{};                  // as it was
    Span since{0};                       // that spec
    std::map<std::string, Span> went{};  // by uid
  };

  [[nodiscard]] bool may_be_spared(const lab::Json& budget, const lab::Json& pod) const;
  [[nodiscard]] bool is_known_to_all(const Account& account) const;
  [[nodiscard]] std::vector<lab::ChangedObject> changed_since(const lab::Kind& kind,
                                                              std::uint64_t since) const;
  void look_at_budget(const std::string& name, const lab::Json* budget);
  void look_at_pod(const std::string& name, const lab::Json* pod);
  void goes(const lab::Json& pod);
  void check_ledger(const lab::Json& budget, const Account& account);
  void check_going(const lab::Json& budget, Account& account, const std::string& uid);
  void check_strength(const lab::Json& budget, const std::string& uid);

  lab::Simulation& simulation_;
  const bool upstream_;
  const std::function<void(std::string)> broken_;
  std::map<std::string, lab::Json> budgets_{};  // by name
  std::map<std::string, Account> accounts_{};   // by name
  std::map<std::string, lab::Json> pods_{};     // by uid, as last seen
  std::map<std::string, Span> unhealthy_at_{};  // at the latest, by uid
  std::set<std::string> asked_{};               // uids that our programs remove
  std::map<std::string, std::string> uids_{};   // by name
  std::uint64_t version_ = 0;                   // of the world, at the last look
  std::optional<Span> last_loss_{};             // of a healthy pod that nobody of us removed
};

}  // namespace elbowroom::test
