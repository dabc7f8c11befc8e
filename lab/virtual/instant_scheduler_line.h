// The line of a scheduler to a world without latency: it tells all changes of an instant as one,
// and writes at once. It stands where the API worker and its transport are in a simulation with
// latency. It has no Lease.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cluster/packed_pod.h"
#include "lab/world/world.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::lab {

class InstantSchedulerLine {
 public:
  using Seen = decltype(scheduler::Observation::what);
  // Takes one observation and performs its effects before it returns.
  using Tell = std::function<void(Seen)>;
  // The circuit breaker's record, which outlives the process.
  using Record = std::optional<scheduler::StoredBreaker>;

  // `places`: pending pods are placed, too. `world` and `record` must outlive it.
  InstantSchedulerLine(World& world, Record& record, bool places, Tell tell);

  // Tells what changed since the last look; at first, everything. Returns true if there was
  // anything.
  bool look();

  // Returns true if the world changed since the last look.
  [[nodiscard]] bool is_behind() const { return !has_looked_ || world_.version() != version_; }

  // Performs an effect and returns what the scheduler observes of it. Events are only reported.
  [[nodiscard]] Seen answer(const scheduler::Effect& effect);

 private:
  bool list_all();
  void list_nodes();
  template <class Of>
  void list_budgets();
  void list_namespaces();
  void list_selecting();
  void list_pods();
  bool look_at_changes();
  void look_at(const Kind& kind, const ChangedObject& which);
  void look_at_node(const Json* object, const std::string& name);
  void look_at_pod(const Object* object, const std::string& key);
  template <class Of>
  void look_at_budget(const Json* object, const ChangedObject& which);
  void look_at_namespace(const Json* object, const std::string& name);
  void list_volumes();
  bool look_at_volumes(const Kind& kind, const Json* object, const ChangedObject& which);
  [[nodiscard]] Result<cluster::PackedPod> packed(const Object& object) const;

  [[nodiscard]] Result<void> write(const scheduler::MarkVictim& mark);
  [[nodiscard]] Result<void> write(const scheduler::DeleteVictim& removal);
  [[nodiscard]] Result<void> write(const scheduler::BindPod& bind);
  [[nodiscard]] Result<void> write(const scheduler::BindVolume& bind);
  [[nodiscard]] Result<void> write(const scheduler::SelectNode& select);
  [[nodiscard]] Result<void> write(const scheduler::WritePending& pending);
  [[nodiscard]] Result<void> write(const scheduler::WriteGroupStatus& status);
  [[nodiscard]] Result<cluster::PackedPod> look_up(const scheduler::ConfirmResize& confirm) const;
  [[nodiscard]] Result<policy::PodGroup> look_up(const scheduler::ConfirmGroup& confirm) const;
  [[nodiscard]] Result<policy::DisruptionBudget> look_up(const scheduler::ReadLedger& read) const;
  [[nodiscard]] Result<policy::DisruptionBudget> debit(const scheduler::WriteLedger& write);

  World& world_;
  Record& record_;
  bool places_ = false;
  Tell tell_;
  bool has_looked_ = false;
  std::uint64_t version_ = 0;  // of the world, at the last look
};

}  // namespace elbowroom::lab
