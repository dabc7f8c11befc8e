// AdmissionReview of admission.k8s.io/v1: what an API server asks a webhook about an eviction or a
// delete, and the answer. Source: kubernetes staging/src/k8s.io/api/admission/v1/types.go.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace elbowroom::api {

// The server takes requests of 3 MiB, and wraps what they are about. A larger one is none of pods.
inline constexpr std::size_t kMostReviewBytes = std::size_t{4} << 20;

struct AdmissionReview {
  std::string uid{};    // of the request; the answer repeats it
  std::string group{};  // of the resource; "": the core's
  std::string resource{};
  std::string subresource{};
  std::string operation{};  // CREATE, DELETE, ...
  std::string ns{};
  std::string name{};     // of the pod
  std::string pod_uid{};  // that the request insists on; "": whichever has the name
  bool dry_run = false;
  std::string user{};
  std::vector<std::string> groups{};

  [[nodiscard]] bool is_eviction() const {
    return group.empty() && resource == "pods" && subresource == "eviction" &&
           operation == "CREATE";
  }
  [[nodiscard]] bool is_delete() const {
    return group.empty() && resource == "pods" && subresource.empty() && operation == "DELETE";
  }

  friend bool operator==(const AdmissionReview&, const AdmissionReview&) = default;
};

// Invalid, with the field: another kind or version, no uid, no pod's name, or no JSON; Exhausted:
// more than kMostReviewBytes.
[[nodiscard]] Result<AdmissionReview> decode_admission_review(std::string_view body);

struct ReviewAnswer {
  bool allowed = true;
  int code = 200;  // of the Status where it is not allowed: 429 or 503
  std::string message{};
  std::chrono::seconds retry_after{0};  // 0: not known
  std::string budget{};                 // NAMESPACE/NAME that refuses; "": none does
  std::string warning{};                // shown to the client; "": none

  friend bool operator==(const ReviewAnswer&, const ReviewAnswer&) = default;
};

// The JSON of the answer to the request of that uid.
[[nodiscard]] std::string encode_review_answer(const std::string& uid, const ReviewAnswer& answer);

}  // namespace elbowroom::api
