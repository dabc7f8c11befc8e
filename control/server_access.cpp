#include "control/server_access.h"

namespace elbowroom::control {

void ServerAccess::look(const api::Freshness& followed) {
  const auto problem = transport_->credential_problem();
  const std::string now = problem ? problem->message : "";
  if (now != credential_problem_ && !now.empty()) tell_("credentials: " + now);
  credential_problem_ = now;
  version_->look(followed);
}

}  // namespace elbowroom::control
