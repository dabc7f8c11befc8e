#include "scheduler/reload.h"

#include <utility>

#include "scheduler/config.h"

namespace elbowroom::scheduler {

Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                           const api::Access& access_now) {
  Reload plan;
  ASSIGN_OR_RETURN(plan.taken.settings, daemon::read_again(scheduler_schema(), source.from));
  ASSIGN_OR_RETURN(plan.taken.changed, daemon::live_changes(now, plan.taken.settings));
  ASSIGN_OR_RETURN(const SchedulerOptions options,
                   options_from(plan.taken.settings, source.identity, source.environment));
  plan.access = options.access;
  RETURN_IF_ERROR(api::check_same_server(access_now, plan.access));
  const bool is_named = plan.taken.settings.text("kubeconfig") != now.text("kubeconfig");
  if (plan.access != access_now && !is_named) plan.taken.changed.emplace_back("kubeconfig");
  return plan;
}

}  // namespace elbowroom::scheduler
