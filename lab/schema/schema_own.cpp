// The schema of Elbowroom's own kinds: see lab/schema/schema_table.h for its form.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kOwnSchema = R"schema(
elbowroom.v1alpha1.DisruptionBudget | A budget of disruptions that counts over time and can be hard
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec elbowroom.v1alpha1.DisruptionBudgetSpec | What may happen to which pods
 status elbowroom.v1alpha1.DisruptionBudgetStatus | What happened lately
elbowroom.v1alpha1.DisruptionBudgetSpec | What may happen to which pods
 hard bool | Preemption may never break it, either
 maxUnavailable IntOrString | So many of the covered pods, or that percentage of them, may be missing
 minAvailable IntOrString | So many of the covered pods, or that percentage of them, must be there
 rate elbowroom.v1alpha1.DisruptionRate | At most so many disruptions in that time
 selector meta.v1.LabelSelector | The pods of the namespace that are covered
 unhealthyPodEvictionPolicy string | Which Pods that are not Ready may be removed without a charge: IfHealthyBudget or AlwaysAllow
elbowroom.v1alpha1.DisruptionBudgetStatus | What happened lately
 conditions [meta.v1.Condition] map=type | Observed, whether the budget is understood; DisruptionAllowed, whether one pod may go
 currentHealthy int32 | The covered pods that are ready, not terminating, and not in recentDisruptions
 desiredHealthy int32 | So many of them must stay healthy
 disruptionsAllowed int32 | So many could be removed at observedTime
 expectedPods int32 | The pods that are covered, and those that wait for a node
 nextAllowedTime Time | When the rate allows the next one
 observedGeneration int64 | The generation of the spec that this was found out for
 observedTime Time | When this was found out
 recentDisruptions [elbowroom.v1alpha1.Disruption] | The disruptions that still count
elbowroom.v1alpha1.Disruption | One pod that went
 by string | The program that removes it, or the reason of its DisruptionTarget
 pod string! | The pod's name
 time Time! | When it went
 uid string! | The pod's uid
elbowroom.v1alpha1.DisruptionRate | At most so many disruptions in that time
 disruptions int32! | How many
 per string! | In which time, as in "1h"
)schema";

}  // namespace elbowroom::lab
