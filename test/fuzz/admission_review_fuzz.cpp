// An AdmissionReview from anywhere is refused or read, and what is read can be answered with JSON
// that names the same request.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/admission_review.h"
#include "api/codec/json.h"
#include "base/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const auto review = api::decode_admission_review({reinterpret_cast<const char*>(bytes), size});
  if (!review) {
    if (review.error().message.empty()) std::abort();
    const auto begun = api::begun_review({reinterpret_cast<const char*>(bytes), size});
    if (!parse_json(api::encode_review_answer(begun.uid, {.allowed = false}))) std::abort();
    return 0;
  }
  if (review->uid.empty()) std::abort();
  const bool asks_for_pod = review->is_eviction() || review->is_delete();
  if (asks_for_pod && (review->ns.empty() || review->name.empty())) std::abort();
  const auto answer = parse_json(api::encode_review_answer(
      review->uid,
      {.allowed = false, .code = 429, .message = review->name, .budget = review->ns + "/b"}));
  if (!answer) std::abort();
  const Value* uid = api::value_at(*answer, {"response", "uid"});
  if (uid == nullptr || uid->text != review->uid) std::abort();
  return 0;
}
