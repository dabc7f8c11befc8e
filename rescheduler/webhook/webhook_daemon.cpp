#include "rescheduler/webhook/webhook_daemon.h"

#include <functional>
#include <string_view>
#include <utility>

#include "api/codec/admission_review.h"
#include "control/reports.h"

namespace elbowroom::rescheduler {
namespace {

// A program that hangs is told of by its loops (daemon/program/watchdog.h).
constexpr std::string_view kLoop = "webhook";

}  // namespace

Result<std::unique_ptr<WebhookDaemon>> WebhookDaemon::open(ReschedulerOptions options,
                                                           ReschedulerReports reports) {
  auto webhook = options.webhook;
  auto alive = [alive = reports.alive] { control::say(alive, kLoop); };
  std::unique_ptr<WebhookDaemon> made(new WebhookDaemon(std::move(options), std::move(reports)));
  if (webhook) RETURN_IF_ERROR(made->listen(*std::move(webhook), std::move(alive)));
  return made;
}

Result<void> WebhookDaemon::listen(WebhookOptions options, std::function<void()> alive) {
  reader_ = std::make_unique<ReviewReader>(
      ReviewReader::Options{.path = options.path, .dry_run = options.dry_run},
      ReviewReader::Outside{
          .tell =
              [this](std::uint64_t number, api::AdmissionReview review) {
                return tell(ReviewAsked{.number = number, .review = std::move(review)});
              },
          .respond = [this](std::uint64_t number,
                            daemon::Reply reply) { server_->respond(number, std::move(reply)); }});
  options.server.limits.body = api::kMostReviewBytes;
  options.server.limits.small = ReviewReader::kMostAtOnce;
  options.server.alive = std::move(alive);
  auto server = daemon::HttpsServer::start(
      options.server, [this](auto request) { return reader_->take(std::move(request)); });
  if (!server) return std::unexpected(server.error().with("webhook"));
  server_ = *std::move(server);
  reader_->start();
  return {};
}

// The reader's thread uses the server, whose thread uses the reader.
WebhookDaemon::~WebhookDaemon() {
  if (reader_) reader_->stop();
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
  status.unread_reviews = reader_->unread() + status.webhook.refused;
}

void WebhookDaemon::tell_trouble(const daemon::HttpsServer::Health& health,
                                 const std::function<void(const std::string&)>& trouble) {
  if (health.trouble != told_.trouble && !health.trouble.empty()) {
    control::say(trouble, "webhook: " + health.trouble);
  }
  if (health.last_failure != told_.last_failure) {
    control::say(trouble, "webhook: a connection came to no TLS session: " + health.last_failure);
  }
  if (health.unanswered != told_.unanswered) {
    control::say(trouble, "webhook: connections were closed before they were answered: " +
                              std::to_string(health.unanswered) + " so far");
  }
  if (health.refused != told_.refused) {
    control::say(trouble, "webhook: requests were refused as no reviews (4xx): " +
                              std::to_string(health.refused) + " so far");
  }
  while (auto note = reader_->take_note()) control::say(trouble, "webhook: " + *note);
  told_ = health;
}

std::optional<ReschedulerStatus> WebhookDaemon::check_up() {
  auto now = Wiring::check_up();
  if (now) add_health(*now);
  return now;
}

void WebhookDaemon::answer(const AnswerReview& answer) {
  if (!server_) return;
  if (!answer.answer) {
    return server_->respond(answer.number,
                            daemon::refusal(503, "the configuration is not known yet"));
  }
  server_->respond(answer.number, review_reply(answer.uid, *answer.answer));
}

}  // namespace elbowroom::rescheduler
