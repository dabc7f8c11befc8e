// Why the scheduler makes room for a pod's resize, or does not; why a pod or a pod group has no
// node. It is what the reactor decided at the last turn, not another judgement.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

// As JSON (kind SchedulerExplanation); "" for a pod that does not wait for room. `now` is of the
// reactor's clock. Of a member of a gang, which has no turn of its own, it is what the gang's last
// turn decided.
[[nodiscard]] std::string explain(const Reactor& reactor, std::string_view key, const Moment& now,
                                  bool is_dry_run);

// What happens next to a pod that waits for room, by its last turn; "": it has had none, or the
// scheduler does not act. nullopt: explain() has nothing to say of it either.
[[nodiscard]] std::optional<std::string> next_in_words(const Reactor& reactor, std::string_view key,
                                                       const Moment& now, bool is_dry_run);

// As explain() for a pod group, with `group` in the place of `pod`, and its members; "" for a group
// of which no pod waits for a node.
[[nodiscard]] std::string explain_group(const Reactor& reactor, std::string_view group,
                                        const Moment& now, bool is_dry_run);

}  // namespace elbowroom::scheduler
