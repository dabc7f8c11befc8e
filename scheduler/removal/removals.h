// The removals under way. A removal belongs to its preemptor, which has one at a time, and concerns
// the nodes of its victims. A node has at most one removal at a time, so no two of them count on
// the same room.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "policy/model/pod_text.h"
#include "scheduler/breaker/circuit_breaker_store.h"
#include "scheduler/effect.h"
#include "scheduler/removal/set_removal.h"

namespace elbowroom::scheduler {

struct RemovalTerms {
  int budget_violations = 0;
  policy::PodText note{};     // for the owner, when the first delete is sent
  policy::PodText message{};  // of a pending pod, for its condition
};

// What a turn decides: these pods are to be removed for that preemptor.
struct RemovalRequest {
  Preemptor preemptor{};
  std::vector<policy::Pod> victims{};  // as they were seen when they were chosen
  RemovalTerms terms{};
};

struct Removal {
  std::uint64_t number = 0;
  SetRemoval set;
  RemovalTerms terms{};
  std::chrono::milliseconds begun{0};        // on the reactor's clock
  EffectId confirmed_by = 0;                 // the last ConfirmResize
  std::set<cluster::BudgetName> debiting{};  // the budgets that its victims are not entered in yet
  cluster::Snapshot::Debits debits{};        // made for it
  // What the circuit breaker's record stores of it, by node; 0: all was counted before.
  std::map<std::string, CircuitBreakerStore::Number> counted_as{};

  // The victims' uids, in all and by node.
  [[nodiscard]] std::set<std::string> uids() const;
  [[nodiscard]] std::map<std::string, std::vector<std::string>> uids_by_node() const;
};

class Removals {
 public:
  using Numbers = std::vector<std::uint64_t>;

  // Requires that none of its nodes has a removal.
  Removal& add(RemovalRequest request, policy::Time wall, std::chrono::milliseconds now);
  // The removal has ended.
  void erase(std::uint64_t number);
  // Returns and forgets all, by node.
  [[nodiscard]] std::vector<Removal> take_all();

  // nullptr: there is none.
  [[nodiscard]] Removal* find(std::uint64_t number);
  [[nodiscard]] const std::map<std::uint64_t, Removal>& all() const { return by_number_; }
  [[nodiscard]] const Removal* on(std::string_view node) const;
  [[nodiscard]] bool is_on(std::string_view node) const { return by_node_.contains(node); }
  // True if that pod of the node is to be removed.
  [[nodiscard]] bool is_victim(std::string_view uid, std::string_view node) const;
  // Each removal once, by its first node.
  [[nodiscard]] Numbers numbers() const;
  [[nodiscard]] std::size_t size() const { return by_number_.size(); }
  // The nodes that a removal concerns: its preemptor's, and its victims'.
  [[nodiscard]] static std::set<std::string> nodes_of(const SetRemoval& set);

 private:
  std::map<std::uint64_t, Removal> by_number_{};
  std::map<std::string, std::uint64_t, std::less<>> by_node_{};
  std::uint64_t last_ = 0;
};

}  // namespace elbowroom::scheduler
