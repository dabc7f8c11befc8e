#include "agent/reload.h"

#include <utility>

namespace elbowroom::agent {
namespace {

Result<daemon::Settings> read(const ConfigSource& source) {
  const daemon::Schema schema = agent_schema();
  daemon::Settings settings = daemon::defaults(schema);
  if (!source.file.empty()) {
    ASSIGN_OR_RETURN(settings, daemon::settings_from_file(schema, source.file));
  }
  return daemon::with_flags(std::move(settings), source.flags);
}

}  // namespace

Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                           const api::Access& access_now) {
  Reload plan;
  ASSIGN_OR_RETURN(plan.settings, read(source));
  RETURN_IF_ERROR(check_together(plan.settings));
  ASSIGN_OR_RETURN(plan.changed, daemon::live_changes(now, plan.settings));
  ASSIGN_OR_RETURN(const AgentOptions options,
                   options_from(plan.settings, source.host_name, source.environment));
  plan.access = options.access;
  if (plan.access.server != access_now.server) {
    return failure(Code::Invalid, "kubeconfig: the server is now " + to_string(plan.access.server) +
                                      ", and was " + to_string(access_now.server) +
                                      ": that needs a restart");
  }
  const bool is_named = plan.settings.text("kubeconfig") != now.text("kubeconfig");
  if (plan.access != access_now && !is_named) plan.changed.emplace_back("kubeconfig");
  return plan;
}

}  // namespace elbowroom::agent
