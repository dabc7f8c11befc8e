#include "control/program.h"

namespace elbowroom::control {

daemon::Surroundings with_server(daemon::Surroundings at, const api::Access& access,
                                 const daemon::Start& start) {
  at.config = start.line.config_file;
  at.kubeconfig = start.settings.text("kubeconfig");
  if (!access.proxy_url.empty()) return at;  // only the proxy reaches the server
  at.server_host = daemon::without_brackets(access.server.host);
  at.server_port = access.server.port;
  return at;
}

int tell_checked(std::string_view program, const Result<CheckedConfig>& checked) {
  if (!checked) {
    return daemon::complain(program, daemon::kBadConfiguration, checked.error().message);
  }
  if (!daemon::print(checked->yaml)) {
    return daemon::complain(program, daemon::kFailure, "standard output takes no more");
  }
  return checked->note.empty() ? 0 : daemon::complain(program, 0, checked->note);
}

}  // namespace elbowroom::control
