#include "agent/reload.h"

#include <utility>

namespace elbowroom::agent {

Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                           const api::Access& access_now) {
  Reload plan;
  ASSIGN_OR_RETURN(plan.taken.settings, daemon::read_again(agent_schema(), source.from));
  RETURN_IF_ERROR(check_together(plan.taken.settings));
  ASSIGN_OR_RETURN(plan.taken.changed, daemon::live_changes(now, plan.taken.settings));
  ASSIGN_OR_RETURN(const AgentOptions options,
                   options_from(plan.taken.settings, source.host_name, source.environment));
  plan.access = options.access;
  RETURN_IF_ERROR(api::check_same_server(access_now, plan.access));
  const bool is_named = plan.taken.settings.text("kubeconfig") != now.text("kubeconfig");
  if (plan.access != access_now && !is_named) plan.taken.changed.emplace_back("kubeconfig");
  return plan;
}

}  // namespace elbowroom::agent
