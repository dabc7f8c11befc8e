#include "lab/apiserver/access_review.h"

#include <utility>

#include "lab/apiserver/api_body.h"
#include "lab/world/json.h"

namespace elbowroom::lab {
namespace {

Json user() { return {{"username", "lab"}, {"groups", Json::array({"system:masters"})}}; }

Json everything() {
  const Json all = Json::array({"*"});
  return {
      {"resourceRules", Json::array({{{"verbs", all}, {"apiGroups", all}, {"resources", all}}})},
      {"nonResourceRules", Json::array({{{"verbs", all}, {"nonResourceURLs", all}}})},
      {"incomplete", false}};
}

}  // namespace

std::optional<ApiReply> access_review(const ApiRequest& request) {
  if (request.method != "POST") return std::nullopt;
  Json status;
  if (request.path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews") {
    status = {{"allowed", true}, {"reason", "the lab has one user, who may do everything"}};
  } else if (request.path == "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews") {
    status = everything();
  } else if (request.path == "/apis/authentication.k8s.io/v1/selfsubjectreviews") {
    status = {{"userInfo", user()}};
  } else {
    return std::nullopt;
  }
  auto review = decoded_body(request);
  if (!review) {
    return ApiReply{.code = review.error().code, .body = to_text(to_status(review.error())) + "\n"};
  }
  (*review)["status"] = std::move(status);
  return ApiReply{.code = 201, .body = to_text(*review) + "\n"};
}

}  // namespace elbowroom::lab
