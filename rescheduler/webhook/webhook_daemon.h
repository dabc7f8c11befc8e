// The rescheduler with the webhook's server beside it: reviews go to the reactor as observations,
// and its answers back. Without options of a webhook it is the rescheduler alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/wiring.h"
#include "daemon/https/https_server.h"
#include "rescheduler/webhook/review_reader.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

class WebhookDaemon : public control::Wiring<Parts> {
 public:
  // Listens already, where it is to. Fails as daemon::HttpsServer::start.
  [[nodiscard]] static Result<std::unique_ptr<WebhookDaemon>> open(ReschedulerOptions options,
                                                                   ReschedulerReports reports);

  ~WebhookDaemon();
  WebhookDaemon(const WebhookDaemon&) = delete;
  WebhookDaemon& operator=(const WebhookDaemon&) = delete;

  [[nodiscard]] std::optional<ReschedulerStatus> check_up();
  // Where the webhook listens; nullptr: nowhere.
  [[nodiscard]] const daemon::Address* webhook_address() const {
    return server_ ? &server_->address() : nullptr;
  }

 private:
  WebhookDaemon(ReschedulerOptions options, ReschedulerReports reports);
  [[nodiscard]] ReschedulerOptions with_answers(ReschedulerOptions options);
  [[nodiscard]] ReschedulerReports with_health(ReschedulerReports reports);
  void add_health(ReschedulerStatus& status) const;
  void tell_trouble(const daemon::HttpsServer::Health& health,
                    const std::function<void(const std::string&)>& trouble);
  [[nodiscard]] Result<void> listen(WebhookOptions options, std::function<void()> alive);
  void answer(const AnswerReview& answer);

  std::unique_ptr<ReviewReader> reader_{};         // outlives the server, which uses it
  std::unique_ptr<daemon::HttpsServer> server_{};  // its thread ends before the base does
  daemon::HttpsServer::Health told_{};             // of the reactor's thread
};

}  // namespace elbowroom::rescheduler
