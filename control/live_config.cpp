#include "control/live_config.h"

namespace elbowroom::control {

Result<api::Access> access_from(const daemon::Settings& settings,
                                const api::ApiEnvironment& environment) {
  auto access = api::daemon_access(settings.text("kubeconfig"), environment);
  if (!access) return std::unexpected(access.error().with("kubeconfig"));
  return access;
}

Result<Reload> with_access(Reload plan, const daemon::Settings& now,
                           const api::Access& access_now) {
  RETURN_IF_ERROR(api::check_same_server(access_now, plan.access));
  const bool is_named = plan.taken.settings.text("kubeconfig") != now.text("kubeconfig");
  if (plan.access != access_now && !is_named) plan.taken.changed.emplace_back("kubeconfig");
  return plan;
}

}  // namespace elbowroom::control
