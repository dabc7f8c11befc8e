#include "rescheduler/webhook/review_reader.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace elbowroom::rescheduler {
namespace {

constexpr std::chrono::milliseconds kLongestWait{1000};
constexpr std::chrono::seconds kBusyWait{1};

std::string name_in(const api::AdmissionReview& review) {
  return clipped(sanitize_line(review.ns + "/" + review.name), 600);
}

}  // namespace

daemon::Reply review_reply(const std::string& uid, const api::ReviewAnswer& answer) {
  return {
      .status = 200, .type = "application/json", .body = api::encode_review_answer(uid, answer)};
}

ReviewReader::ReviewReader(Options options, Outside outside)
    : options_(std::move(options)), outside_(std::move(outside)) {}

void ReviewReader::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) noexcept { read_large(stop); });
}

void ReviewReader::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void ReviewReader::read_large(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto request = large_.take(stop, std::chrono::steady_clock::now() + kLongestWait);
    if (!request) continue;
    if (auto reply = read(*request)) outside_.respond(request->number, *std::move(reply));
  }
}

std::optional<daemon::Reply> ReviewReader::take(daemon::HttpsRequest request) {
  if (request.path != options_.path) return daemon::refusal(404, "no reviews are answered there");
  if (request.method != "POST") return daemon::refusal(405, "reviews are posted");
  if (!request.cut.empty()) return read_begun(request, request.cut, 413);
  if (request.body.size() <= kMostAtOnce) return read(request);
  if (large_.try_put(std::move(request))) return std::nullopt;
  // NOLINTNEXTLINE(bugprone-use-after-move): a full mailbox leaves the request as it is
  return read_begun(request, "too many large ones are asked at once", 503);
}

std::optional<daemon::Reply> ReviewReader::read(const daemon::HttpsRequest& request) {
  auto review = api::decode_admission_review(request.body);
  if (!review) return read_begun(request, review.error().message, 400);
  if (outside_.tell(request.number, *review)) return std::nullopt;
  const std::string why = "too many reviews wait";
  return refuse(*review, {.allowed = false,
                          .code = 429,
                          .message = "pod " + name_in(*review) + ": " + why,
                          .retry_after = kBusyWait});
}

// A delete says all that is needed before its object.
std::optional<daemon::Reply> ReviewReader::read_begun(const daemon::HttpsRequest& request,
                                                      const std::string& why, int status) {
  const api::AdmissionReview review = api::begun_review(request.body);
  if (review.uid.empty()) {
    static_cast<void>(
        notes_.try_put("a review was refused with " + std::to_string(status) + ": " + why));
    return daemon::refusal(status, "review: " + why);
  }
  const bool is_named_delete =
      review.is_delete() && !review.ns.empty() && !review.name.empty() && !request.cut.empty();
  if (is_named_delete && outside_.tell(request.number, review)) return std::nullopt;
  return refuse(review,
                {.allowed = false,
                 .code = 503,
                 .message = "pod " + name_in(review) + ": its removal cannot be reviewed: " + why});
}

daemon::Reply ReviewReader::refuse(const api::AdmissionReview& review, api::ReviewAnswer answer) {
  ++unread_;
  static_cast<void>(notes_.try_put("a review was answered unread: " + answer.message));
  if (options_.dry_run) answer = {.warning = "without dryRun this is refused: " + answer.message};
  return review_reply(review.uid, answer);
}

}  // namespace elbowroom::rescheduler
