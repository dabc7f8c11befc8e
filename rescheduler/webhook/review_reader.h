// Reads the requests of API servers and hands the reviews on. An eviction that cannot be read is
// refused within a review: any other answer is none to an API server, and `failurePolicy: Ignore`
// would let the eviction pass, so that whoever evicts could choose it by the form of the request.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "api/codec/admission_review.h"
#include "base/mailbox.h"
#include "daemon/http/endpoints.h"
#include "daemon/https/tls_connections.h"

namespace elbowroom::rescheduler {

class ReviewReader {
 public:
  struct Options {
    std::string path{};    // to which reviews are posted
    bool dry_run = false;  // nobody is refused
  };
  struct Outside {
    // Hands a review on; false: too many wait. Any thread calls it.
    std::function<bool(std::uint64_t number, api::AdmissionReview review)> tell{};
    // Answers a request; the reader's thread calls it.
    std::function<void(std::uint64_t number, daemon::Reply reply)> respond{};
  };

  // Larger bodies are read on the reader's own thread: 19 MiB take some 100 ms.
  static constexpr std::size_t kMostAtOnce = std::size_t{64} << 10;

  ReviewReader(Options options, Outside outside);
  ReviewReader(const ReviewReader&) = delete;
  ReviewReader& operator=(const ReviewReader&) = delete;

  // Begins to read large bodies; before that they wait.
  void start();
  // Large bodies are no longer read.
  void stop();

  // Never waits. Nothing: it is answered later.
  [[nodiscard]] std::optional<daemon::Reply> take(daemon::HttpsRequest request);

  // Reviews that were answered without a decision because they could not be read or handed on. Any
  // thread may ask.
  [[nodiscard]] std::uint64_t unread() const { return unread_; }
  // Why, in words for the log, of a few of them; each is returned once.
  [[nodiscard]] std::optional<std::string> take_note() { return notes_.try_take(); }

 private:
  static constexpr std::size_t kMostLarge = 4;
  static constexpr std::size_t kMostNotes = 4;

  [[nodiscard]] std::optional<daemon::Reply> read(const daemon::HttpsRequest& request);
  [[nodiscard]] std::optional<daemon::Reply> read_begun(const daemon::HttpsRequest& request,
                                                        const std::string& why, int status);
  [[nodiscard]] daemon::Reply refuse(const api::AdmissionReview& review, api::ReviewAnswer answer);
  void read_large(const std::stop_token& stop);

  const Options options_;
  const Outside outside_;
  std::atomic<std::uint64_t> unread_ = 0;
  Mailbox<std::string> notes_{kMostNotes};
  Mailbox<daemon::HttpsRequest> large_{kMostLarge};
  std::jthread thread_{};  // last, because it uses the other members
};

// The answer as it is sent.
[[nodiscard]] daemon::Reply review_reply(const std::string& uid, const api::ReviewAnswer& answer);

}  // namespace elbowroom::rescheduler
