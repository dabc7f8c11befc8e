#include "api/codec/admission_review.h"

#include <algorithm>
#include <utility>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kVersion = "admission.k8s.io/v1";
constexpr DocumentLimits kLimits{.bytes = kMostReviewBytes, .depth = 64, .values = 500'000};

Result<bool> is_dry_run(const Field& request, const Field& options) {
  ASSIGN_OR_RETURN(const bool said, request.boolean("dryRun"));
  ASSIGN_OR_RETURN(const std::vector<std::string> of_options, options.texts("dryRun"));
  return said || std::ranges::find(of_options, "All") != of_options.end();
}

// An eviction has its options within; a delete is about the object that is there.
Result<void> read_object(const Field& request, AdmissionReview& review) {
  ASSIGN_OR_RETURN(const Field eviction, request.get("object"));
  ASSIGN_OR_RETURN(const Field within, eviction.get("deleteOptions"));
  ASSIGN_OR_RETURN(review.dry_run, is_dry_run(request, within));
  ASSIGN_OR_RETURN(const Field preconditions, within.get("preconditions"));
  ASSIGN_OR_RETURN(review.pod_uid, preconditions.text("uid"));
  if (!review.name.empty() && !review.is_delete()) return {};
  ASSIGN_OR_RETURN(const Field pod, request.get(review.is_delete() ? "oldObject" : "object"));
  ASSIGN_OR_RETURN(const Field metadata, pod.get("metadata"));
  if (review.name.empty()) {
    ASSIGN_OR_RETURN(review.name, metadata.text("name"));
  }
  if (review.is_delete()) {
    ASSIGN_OR_RETURN(review.pod_uid, metadata.text("uid"));
  }
  return {};
}

}  // namespace

Result<AdmissionReview> decode_admission_review(std::string_view body) {
  if (body.size() > kMostReviewBytes) {
    return failure(Code::Exhausted,
                   "it is larger than " + std::to_string(kMostReviewBytes) + " bytes");
  }
  ASSIGN_OR_RETURN(const Value document, parse_json(body, kLimits));
  const Field root(document, Source::Server);
  ASSIGN_OR_RETURN(const std::string version, root.text("apiVersion"));
  if (version != kVersion) return root.refuse("apiVersion", "must be admission.k8s.io/v1");
  ASSIGN_OR_RETURN(const std::string kind, root.text("kind"));
  if (kind != "AdmissionReview") return root.refuse("kind", "must be AdmissionReview");
  ASSIGN_OR_RETURN(const Field request, root.get("request"));
  if (!request.present()) return root.refuse("request", "is missing");
  AdmissionReview review;
  ASSIGN_OR_RETURN(review.uid, request.text("uid"));
  if (review.uid.empty()) return request.refuse("uid", "is missing");
  ASSIGN_OR_RETURN(const Field resource, request.get("resource"));
  ASSIGN_OR_RETURN(review.group, resource.text("group"));
  ASSIGN_OR_RETURN(review.resource, resource.text("resource"));
  ASSIGN_OR_RETURN(review.subresource, request.text("subResource"));
  ASSIGN_OR_RETURN(review.operation, request.text("operation"));
  ASSIGN_OR_RETURN(review.ns, request.text("namespace"));
  ASSIGN_OR_RETURN(review.name, request.text("name"));
  ASSIGN_OR_RETURN(const Field who, request.get("userInfo"));
  ASSIGN_OR_RETURN(review.user, who.text("username"));
  ASSIGN_OR_RETURN(review.groups, who.texts("groups"));
  RETURN_IF_ERROR(read_object(request, review));
  const bool needs_pod = review.is_eviction() || review.is_delete();
  if (needs_pod && review.ns.empty()) return request.refuse("namespace", "is missing");
  if (needs_pod && review.name.empty()) return request.refuse("name", "is missing");
  return review;
}

std::string encode_review_answer(const std::string& uid, const ReviewAnswer& answer) {
  Value response = json_map({{"uid", json_text(uid)}, {"allowed", json_bool(answer.allowed)}});
  if (!answer.allowed) {
    const bool is_busy = answer.code == 429;
    Value status =
        json_map({{"status", json_text("Failure")},
                  {"code", json_number(answer.code)},
                  {"reason", json_text(is_busy ? "TooManyRequests" : "ServiceUnavailable")},
                  {"message", json_text(answer.message)}});
    Value details = json_map({});
    if (answer.retry_after.count() > 0) {
      set_member(details, "retryAfterSeconds", json_number(answer.retry_after.count()));
    }
    if (!answer.budget.empty()) {
      std::vector<Value> causes;
      causes.push_back(json_map(
          {{"reason", json_text("DisruptionBudget")}, {"message", json_text(answer.message)}}));
      set_member(details, "causes", json_list(std::move(causes)));
    }
    if (!details.members.empty()) set_member(status, "details", std::move(details));
    set_member(response, "status", std::move(status));
  }
  if (!answer.warning.empty()) {
    std::vector<Value> warnings;
    warnings.push_back(json_text(answer.warning));
    set_member(response, "warnings", json_list(std::move(warnings)));
  }
  return to_json(json_map({{"apiVersion", json_text(std::string(kVersion))},
                           {"kind", json_text("AdmissionReview")},
                           {"response", std::move(response)}}));
}

}  // namespace elbowroom::api
