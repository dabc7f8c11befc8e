#include "rescheduler/webhook/webhook_daemon.h"

#include <functional>
#include <utility>

#include "api/codec/admission_review.h"
#include "control/reports.h"

namespace elbowroom::rescheduler {
namespace {

daemon::Reply refused(int status, const std::string& why) {
  return {.status = status, .body = why + "\n"};
}

}  // namespace

Result<std::unique_ptr<WebhookDaemon>> WebhookDaemon::open(ReschedulerOptions options,
                                                           ReschedulerReports reports) {
  auto webhook = options.webhook;
  std::unique_ptr<WebhookDaemon> made(new WebhookDaemon(std::move(options), std::move(reports)));
  if (!webhook) return made;
  webhook->limits.body = api::kMostReviewBytes;
  auto server = daemon::HttpsServer::start(
      *webhook, [daemon = made.get()](auto request) { return daemon->take(std::move(request)); });
  if (!server) return std::unexpected(server.error().with("webhook"));
  made->server_ = *std::move(server);
  return made;
}

WebhookDaemon::WebhookDaemon(ReschedulerOptions options, ReschedulerReports reports)
    : Wiring(with_answers(std::move(options)), with_health(std::move(reports))) {}

// What they capture is used only while run() runs.
ReschedulerOptions WebhookDaemon::with_answers(ReschedulerOptions options) {
  options.worker.answer = [this](const AnswerReview& each) { answer(each); };
  return options;
}

ReschedulerReports WebhookDaemon::with_health(ReschedulerReports reports) {
  auto measured = std::move(reports.measured);
  reports.measured = [this, measured = std::move(measured),
                      trouble = reports.trouble](const ReschedulerStatus& now) {
    ReschedulerStatus whole = now;
    add_health(whole);
    if (whole.has_webhook) tell_trouble(whole.webhook, trouble);
    if (measured) measured(whole);
  };
  return reports;
}

void WebhookDaemon::add_health(ReschedulerStatus& status) const {
  if (!server_) return;
  status.has_webhook = true;
  status.webhook = server_->health();
}

void WebhookDaemon::tell_trouble(const daemon::HttpsServer::Health& health,
                                 const std::function<void(const std::string&)>& trouble) {
  if (health.trouble != told_.trouble && !health.trouble.empty()) {
    control::say(trouble, "webhook: " + health.trouble);
  }
  if (health.last_failure != told_.last_failure) {
    control::say(trouble, "webhook: a connection came to no TLS session: " + health.last_failure);
  }
  told_ = health;
}

std::optional<ReschedulerStatus> WebhookDaemon::check_up() {
  auto now = Wiring::check_up();
  if (now) add_health(*now);
  return now;
}

std::optional<daemon::Reply> WebhookDaemon::take(daemon::HttpsRequest request) {
  if (request.path != kReviewPath) return refused(404, "reviews go to " + std::string(kReviewPath));
  if (request.method != "POST") return refused(405, "reviews are posted");
  auto review = api::decode_admission_review(request.body);
  if (!review) return refused(400, "review: " + review.error().message);
  if (tell(ReviewAsked{.number = request.number, .review = *std::move(review)})) return {};
  return refused(503, "too many ask at once");
}

void WebhookDaemon::answer(const AnswerReview& answer) {
  if (!server_) return;
  if (!answer.answer) {
    return server_->respond(answer.number, refused(503, "the configuration is not known yet"));
  }
  server_->respond(answer.number, {.status = 200,
                                   .type = "application/json",
                                   .body = api::encode_review_answer(answer.uid, *answer.answer)});
}

}  // namespace elbowroom::rescheduler
