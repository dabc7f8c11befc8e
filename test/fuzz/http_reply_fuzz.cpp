// What an API server, or a proxy in front of it, may answer in HTTP: heads, Retry-After, error
// bodies, lists and watch streams, one answer after the other. Properties: no crash; an error gives
// one bounded clean line; no wait is longer than a server may ask for; and the result does not
// depend on how the bodies are split.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/transport/http.h"
#include "api/transport/status_error.h"
#include "api/transport/transport.h"
#include "api/watch/watch_loop.h"
#include "base/text.h"
#include "base/utf8.h"

namespace {

using namespace elbowroom;

constexpr std::size_t kMostReplies = 32;
constexpr std::size_t kMostSteps = 200;
constexpr std::chrono::minutes kLongestWait{30};

void check(bool holds) {
  if (!holds) std::abort();
}

void check_message(const std::string& message) {
  check(message.size() < 16'384);
  check(first_invalid_utf8(message) == message.size());
  check(std::none_of(message.begin(), message.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
}

std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return taken;
}

// "HTTP/1.1 429 Too Many Requests", header lines, an empty line, the body. Status 0: no answer.
struct Reply {
  api::Response head{};
  std::string body{};
};

Reply reply_of(std::string_view text) {
  Reply reply;
  std::string_view first = take_until(text, "\n");
  (void)take_until(first, " ");
  for (const char c : first.substr(0, 3)) {
    if (c >= '0' && c <= '9') reply.head.status = reply.head.status * 10 + (c - '0');
  }
  while (!text.empty()) {
    const std::string_view line = take_until(text, "\n");
    if (line.empty() || line == "\r") break;
    api::take_header(reply.head, line);
  }
  check(reply.head.retry_after >= std::chrono::seconds(0));
  check(reply.head.retry_after <= api::kMaxRetryAfter);
  check(reply.head.date.size() <= 1024 && reply.head.warning.size() <= 1024);
  reply.body = text;
  return reply;
}

// Returns the replies, one for each requested stream, in pieces of that size; time passes when
// nothing else is left to do.
class Script final : public api::Transport {
 public:
  Script(const std::vector<Reply>& replies, std::size_t piece) : replies_(replies), piece_(piece) {}

  void send(api::Request, Done) override { std::abort(); }  // a watch sends nothing
  api::Ticket stream(api::Request, api::StreamCallbacks callbacks) override {
    asked_ = std::make_shared<Stream>(Stream{std::move(callbacks), false});
    return api::Ticket([stream = asked_] { stream->is_cancelled = true; });
  }
  api::Ticket after(api::Clock::duration delay, std::move_only_function<void()> f) override {
    check(delay >= api::Clock::duration::zero() && delay <= kLongestWait);
    auto timer = std::make_shared<Timer>(Timer{now_ + delay, std::move(f), false});
    timers_.push_back(timer);
    return api::Ticket([timer] { timer->is_over = true; });
  }
  void post(std::move_only_function<void()>) override { std::abort(); }
  void run_once(api::Clock::duration) override {
    if (const auto stream = std::exchange(asked_, nullptr)) return answer(*stream);
    std::erase_if(timers_, [](const auto& timer) { return timer->is_over; });
    const auto due = std::min_element(timers_.begin(), timers_.end(),
                                      [](const auto& a, const auto& b) { return a->due < b->due; });
    if (due == timers_.end()) return;
    const auto timer = *due;
    timer->is_over = true;
    now_ = std::max(now_, timer->due);
    timer->f();
  }
  [[nodiscard]] api::Clock::time_point now() const override { return now_; }
  [[nodiscard]] policy::Time wall() const override { return {}; }

  [[nodiscard]] bool is_over() const { return asked_ != nullptr && next_ == replies_.size(); }

 private:
  struct Stream {
    api::StreamCallbacks callbacks;
    bool is_cancelled = false;
  };
  struct Timer {
    api::Clock::time_point due;
    std::move_only_function<void()> f;
    bool is_over = false;
  };

  void answer(Stream& stream) {
    if (stream.is_cancelled) return;
    const Reply& reply = replies_[next_++];
    if (reply.head.status == 0) {
      return stream.callbacks.done(failure(Code::Unavailable, "GET: nobody answers"));
    }
    api::Response response = reply.head;
    if (!api::is_success(response)) {
      response.body = reply.body;
      return stream.callbacks.done(std::move(response));
    }
    if (stream.callbacks.opened) stream.callbacks.opened(response);
    const std::string_view body = reply.body;
    for (std::size_t at = 0; at < body.size() && !stream.is_cancelled; at += piece_) {
      stream.callbacks.chunk(body.substr(at, piece_));
    }
    if (!stream.is_cancelled) stream.callbacks.done(std::move(response));
  }

  const std::vector<Reply>& replies_;
  std::size_t piece_;
  std::size_t next_ = 0;
  api::Clock::time_point now_{};
  std::shared_ptr<Stream> asked_;
  std::vector<std::shared_ptr<Timer>> timers_;
};

// Everything that the client read from the replies.
std::string heard(const std::vector<Reply>& replies, std::size_t piece, bool by_protobuf) {
  std::string out;
  Script script(replies, piece);
  const auto tell = [&out](const char* what) {
    return [&out, what](const Value& object) { out += what + api::to_json(object) + "\n"; };
  };
  api::WatchLoop loop(script, {.path = "/api/v1/pods", .kind = "Pod", .by_protobuf = by_protobuf},
                      {},
                      {.list_begins = [&] { out += "begins\n"; },
                       .listed = tell("listed "),
                       .list_ends = [&] { out += "ends\n"; },
                       .upserted = tell("is "),
                       .removed = tell("was "),
                       .stale =
                           [&](const Error& error) {
                             check_message(error.message);
                             out += "stale " + error.message + "\n";
                           },
                       .fresh = [&] { out += "fresh\n"; }});
  loop.start();
  for (std::size_t step = 0; step < kMostSteps && !script.is_over(); ++step) script.run_once({});
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size > 16'384) return 0;
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  std::vector<Reply> replies;
  while (!text.empty() && replies.size() < kMostReplies) {
    replies.push_back(reply_of(take_until(text, "%%\n")));
  }
  for (const Reply& reply : replies) {
    api::Response response = reply.head;
    response.body = reply.body;
    for (const api::Method method : {api::Method::Get, api::Method::Post, api::Method::Delete}) {
      const Error error = api::error_from(response, method);
      check_message(error.message);
      check(error.retry_after <= api::kMaxRetryAfter);
      const api::Status status = api::status_from(response, method);
      check(status.causes.size() <= 16 && status.code == response.status);
    }
  }
  for (const bool by_protobuf : {false, true}) {
    const std::string whole = heard(replies, 1 << 20, by_protobuf);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
      check(heard(replies, piece, by_protobuf) == whole);
    }
  }
  return 0;
}
