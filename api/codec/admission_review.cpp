#include "api/codec/admission_review.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "base/document.h"
#include "base/json_filter.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kVersion = "admission.k8s.io/v1";
// Of what is kept. What is skipped counts for none of it but the bytes.
constexpr DocumentLimits kLimits{.bytes = kMostReviewBytes, .depth = 64, .values = 500'000};
constexpr std::size_t kMostUidBytes = 128;   // an API server sends 36
constexpr std::size_t kMostNameBytes = 253;  // of a namespace or a Pod
// A server accepts a list of any length whose items are all "All".
constexpr std::size_t kMostDryRuns = 16;

// A member that is read, with those of its members that are read; none: all of it is.
struct Kept {
  std::string_view key{};
  std::span<const Kept> members{};
};

constexpr std::array kMetadata = {Kept{"name"}, Kept{"uid"}};
constexpr std::array kPreconditions = {Kept{"uid"}};
constexpr Kept kDryRun{"dryRun"};
constexpr std::array kDeleteOptions = {kDryRun, Kept{"preconditions", kPreconditions}};
constexpr std::array kObject = {Kept{"metadata", kMetadata}, Kept{"deleteOptions", kDeleteOptions}};
constexpr std::array kOldObject = {Kept{"metadata", kMetadata}};
constexpr std::array kResource = {Kept{"group"}, Kept{"resource"}};
constexpr std::array kUserInfo = {Kept{"username"}, Kept{"groups"}};
constexpr std::array kRequest = {Kept{"uid"},
                                 Kept{"resource", kResource},
                                 Kept{"subResource"},
                                 Kept{"operation"},
                                 Kept{"namespace"},
                                 Kept{"name"},
                                 Kept{"dryRun"},
                                 Kept{"userInfo", kUserInfo},
                                 Kept{"object", kObject},
                                 Kept{"oldObject", kOldObject}};
constexpr std::array kRoot = {Kept{"apiVersion"}, Kept{"kind"}, Kept{"request", kRequest}};
constexpr Kept kReview{"", kRoot};

class ReviewFilter final : public JsonFilter {
 public:
  [[nodiscard]] Place root() const override { return &kReview; }
  [[nodiscard]] Place member(Place of, std::string_view key) const override {
    const std::span<const Kept> members = kept(of).members;
    const auto at = std::ranges::find(members, key, &Kept::key);
    return at == members.end() ? nullptr : &*at;
  }
  [[nodiscard]] std::size_t most_items(Place of) const override {
    return kept(of).key == kDryRun.key ? kMostDryRuns : kNoLimit;
  }

 private:
  static const Kept& kept(Place of) { return *static_cast<const Kept*>(of); }
};

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

Result<void> read_uid(const Field& request, AdmissionReview& review) {
  ASSIGN_OR_RETURN(std::string uid, request.text("uid"));
  if (uid.empty()) return request.refuse("uid", "is missing");
  if (uid.size() > kMostUidBytes) return request.refuse("uid", "has more than 128 bytes");
  review.uid = std::move(uid);
  return {};
}

Result<void> read_resource(const Field& request, AdmissionReview& review) {
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
  return {};
}

Result<void> check_pod(const Field& request, const AdmissionReview& review) {
  if (!review.is_eviction() && !review.is_delete()) return {};
  if (review.ns.empty()) return request.refuse("namespace", "is missing");
  if (review.name.empty()) return request.refuse("name", "is missing");
  if (review.ns.size() > kMostNameBytes) return request.refuse("namespace", "is no name");
  if (review.name.size() > kMostNameBytes) return request.refuse("name", "is no name");
  return {};
}

// Fills in what it can; an error leaves what was read before it.
Result<void> read_review(const Value& document, AdmissionReview& review) {
  const Field root(document, Source::Server);
  ASSIGN_OR_RETURN(const std::string version, root.text("apiVersion"));
  if (version != kVersion) return root.refuse("apiVersion", "must be admission.k8s.io/v1");
  ASSIGN_OR_RETURN(const std::string kind, root.text("kind"));
  if (kind != "AdmissionReview") return root.refuse("kind", "must be AdmissionReview");
  ASSIGN_OR_RETURN(const Field request, root.get("request"));
  if (!request.present()) return root.refuse("request", "is missing");
  RETURN_IF_ERROR(read_uid(request, review));
  RETURN_IF_ERROR(read_resource(request, review));
  RETURN_IF_ERROR(read_object(request, review));
  return check_pod(request, review);
}

}  // namespace

Result<AdmissionReview> decode_admission_review(std::string_view body) {
  if (body.size() > kMostReviewBytes) {
    return failure(Code::Exhausted,
                   "it is larger than " + std::to_string(kMostReviewBytes) + " bytes");
  }
  const PartOfJson document = parse_begun_json(body, kLimits, ReviewFilter());
  if (document.error) return std::unexpected(*document.error);
  AdmissionReview review;
  RETURN_IF_ERROR(read_review(document.value, review));
  return review;
}

AdmissionReview begun_review(std::string_view body) {
  AdmissionReview review;
  const PartOfJson document = parse_begun_json(body, kLimits, ReviewFilter());
  static_cast<void>(read_review(document.value, review));
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
