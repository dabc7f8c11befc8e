// The configuration of a daemon together with its way to the API server, at the start and while it
// runs. A new configuration is read, checked and planned whole before anything changes: all of it
// counts or none of it, and what needs a restart is refused by name.
//
// A Config is what differs from daemon to daemon:
//   type Options, with a member `access`;
//   static functions schema(); check_together(settings); own_options(settings, self), all options
//   but the access; resolved(options), what unset keys come to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "daemon/config/config.h"
#include "daemon/config/reload.h"

namespace elbowroom::control {

// What a daemon was started with.
struct ConfigSource {
  daemon::ConfigSource from{};
  std::string self{};  // the name of its machine, or of this process among its replicas
  api::ApiEnvironment environment{};
};

// A configuration that --check-config found nothing wrong with.
struct CheckedConfig {
  std::string yaml{};  // as it counts
  std::string note{};  // what was not looked at, and why; "": nothing
};

// What is to count from now on.
struct Reload {
  daemon::Taken taken{};  // the kubeconfig counts as changed by its content too
  api::Access access{};
};

// The way that the settings name. Invalid, NotFound, Denied: says which key.
[[nodiscard]] Result<api::Access> access_from(const daemon::Settings& settings,
                                              const api::ApiEnvironment& environment);

// Adds the kubeconfig to the keys that changed where its content did. Invalid: the kubeconfig names
// another server.
[[nodiscard]] Result<Reload> with_access(Reload plan, const daemon::Settings& now,
                                         const api::Access& access_now);

// What the settings ask for. The server need not be reachable. Invalid: settings that contradict
// each other, or a kubeconfig that cannot be used.
template <class Config>
[[nodiscard]] Result<typename Config::Options> options_from(
    const daemon::Settings& settings, const std::string& self,
    const api::ApiEnvironment& environment) {
  ASSIGN_OR_RETURN(auto options, Config::own_options(settings, self));
  ASSIGN_OR_RETURN(options.access, access_from(settings, environment));
  return options;
}

// The same without the credentials of an API server where no kubeconfig is named: a configuration
// is also checked where it is written, far from any cluster. Invalid as options_from.
template <class Config>
[[nodiscard]] Result<CheckedConfig> check_config(const daemon::Settings& settings,
                                                 const std::string& self,
                                                 const api::ApiEnvironment& environment) {
  ASSIGN_OR_RETURN(const auto options, Config::own_options(settings, self));
  CheckedConfig checked{.yaml = daemon::to_yaml(settings, Config::resolved(options))};
  if (const auto whole = options_from<Config>(settings, self, environment); !whole) {
    if (settings.is_set("kubeconfig")) return std::unexpected(whole.error());
    checked.note = "the way to the API server was not checked: " + whole.error().message;
  }
  return checked;
}

// Invalid, and others of the file's: FILE, line and key are named; a key that needs a restart has
// another value; the kubeconfig names another server.
template <class Config>
[[nodiscard]] Result<Reload> plan_reload(const ConfigSource& source, const daemon::Settings& now,
                                         const api::Access& access_now) {
  Reload plan;
  ASSIGN_OR_RETURN(plan.taken.settings, daemon::read_again(Config::schema(), source.from));
  RETURN_IF_ERROR(Config::check_together(plan.taken.settings));
  ASSIGN_OR_RETURN(plan.taken.changed, daemon::live_changes(now, plan.taken.settings));
  ASSIGN_OR_RETURN(auto options,
                   options_from<Config>(plan.taken.settings, source.self, source.environment));
  plan.access = std::move(options.access);
  return with_access(std::move(plan), now, access_now);
}

}  // namespace elbowroom::control
