#include "cli/explain_pending.h"

#include <string>
#include <vector>

#include "api/codec/encode_group_explanation.h"
#include "cli/simulate_schedule.h"
#include "cluster/unreadable_object.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

// What was not read may spare any of them.
void withhold_victims(policy::SchedulingDecision& decision, const std::vector<std::string>& lacks) {
  if (lacks.empty() || decision.victims.empty()) return;
  decision.victims.clear();
  decision.budget_violations = 0;
  decision.message = std::string(kDependsOnUnknown) + ": " + policy::listed(lacks);
}

}  // namespace

bool is_pending(const policy::Pod& pod) { return pod.node.empty() && !policy::is_finished(pod); }

Result<Value> explain_pending(const DecodedObjects& cluster, const policy::Pod& pod,
                              const GroupQuery& query) {
  if (policy::is_grouped(pod)) return pending_member_of(cluster, pod, query);
  ScheduleQuery asked{.pod = key_of(pod), .rules = query.rules, .now = query.now};
  for (const auto& [node, why] : cluster.left_out.unclear) {
    asked.avoided.emplace(node, cluster::kUnclearNode);
  }
  ASSIGN_OR_RETURN(policy::SchedulingDecision decision, answer(cluster.manifests, asked));
  withhold_victims(decision, cluster.lacks);
  decision.nodes.clear();  // what each node says is a matter of `simulate schedule`
  return api::encode_pending_pod(pod, decision, query.now);
}

}  // namespace elbowroom::cli
