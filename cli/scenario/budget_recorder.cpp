#include "cli/scenario/budget_recorder.h"

#include <utility>

#include "api/codec/decode_budget.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::cli {

void BudgetRecorder::look(std::chrono::milliseconds at, policy::Time now, const lab::World& world,
                          const Pods& pods) {
  const lab::Kind& upstream = *lab::find_kind("policy", "v1", "poddisruptionbudgets");
  for (const lab::Json* object : world.all_stored_objects(upstream)) {
    const auto budget = api::decode_pod_disruption_budget(lab::to_value(*object));
    if (!budget) continue;
    note("PodDisruptionBudget " + budget->ns + "/" + budget->name, false, at,
         budget->disruptions_allowed);
  }
  const lab::Kind& ours = *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
  std::vector<policy::Pod> all;
  for (const lab::Json* object : world.all_stored_objects(ours)) {
    const auto budget = api::decode_disruption_budget(lab::to_value(*object));
    if (!budget) continue;
    if (all.empty()) {
      for (const auto& [key, pod] : pods) all.push_back(pod);
    }
    note("DisruptionBudget " + budget->ns + "/" + budget->name, budget->hard, at,
         policy::allowed_now(*budget, all, now));
  }
}

void BudgetRecorder::note(const std::string& budget, bool hard, std::chrono::milliseconds at,
                          std::int64_t disruptions) {
  BudgetLine& line = lines_.try_emplace(budget, BudgetLine{.budget = budget}).first->second;
  line.hard = hard;
  if (!line.allowed.empty() && line.allowed.back().since == at) line.allowed.pop_back();
  if (!line.allowed.empty() && line.allowed.back().disruptions == disruptions) return;
  line.allowed.push_back({.since = at, .disruptions = disruptions});
}

std::vector<BudgetLine> BudgetRecorder::take() {
  std::vector<BudgetLine> all;
  for (auto& [name, line] : lines_) all.push_back(std::move(line));
  lines_.clear();
  return all;
}

}  // namespace elbowroom::cli
