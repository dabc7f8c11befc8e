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

// An API server accepts 3 MiB, and writes some characters as six bytes: `<` becomes \u003c. A
// review of an eviction may be larger still (empty ownerReferences of a protobuf body): it is
// begun_review()'s.
inline constexpr std::size_t kMostReviewBytes = (std::size_t{18} << 20) + (std::size_t{1} << 20);

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

// Reads only the members above and skips the rest of the object: neither its bytes nor the number
// or depth of its values are a reason to refuse it. Invalid, with the field: another kind or
// version, no uid or one of more than 128 bytes, no Pod's name, or no JSON; Exhausted: more than
// kMostReviewBytes.
[[nodiscard]] Result<AdmissionReview> decode_admission_review(std::string_view body);

// A review that decode_admission_review() refuses, or only its first bytes, as far as it can be
// read. An API server writes the object last. `uid` is "" if it cannot be answered.
[[nodiscard]] AdmissionReview begun_review(std::string_view body);

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
