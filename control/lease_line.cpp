#include "control/lease_line.h"

namespace elbowroom::control {

std::string leases_of(const std::string& ns) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + ns + "/leases";
}

Result<api::Lease> lease_in(const Result<api::Response>& response) {
  if (!response) return std::unexpected(response.error());
  ASSIGN_OR_RETURN(const Value object, parse_json(response->body));
  return api::decode_lease(object);
}

}  // namespace elbowroom::control
