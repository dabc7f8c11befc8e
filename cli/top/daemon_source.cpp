#include "cli/top/daemon_source.h"

#include <optional>
#include <stop_token>
#include <utility>

#include "api/codec/decode_overview.h"
#include "api/codec/timestamp.h"
#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "base/document.h"
#include "cli/explain_options.h"
#include "cli/input/blocking_call.h"
#include "cli/top/signals_blocked.h"

namespace elbowroom::cli::top {
namespace {

using api::Clock;
using Answer = Result<api::Response>;

constexpr std::chrono::milliseconds kLongestWait{500};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kNotYet = 503;

Result<Value> document_in(const Answer& answer) {
  if (!answer) return std::unexpected(answer.error());
  if (!api::is_success(*answer)) {
    return std::unexpected(api::error_from(*answer, api::Method::Get));
  }
  return parse_json(answer->body);
}

Result<policy::Overview> overview_in(const Answer& answer) {
  ASSIGN_OR_RETURN(const Value document, document_in(answer));
  return api::decode_overview(document);
}

bool is_not_yet(const Answer& answer) { return answer && answer->status == kNotYet; }

std::string seconds_text(policy::Time time) {
  return api::format_timestamp(std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace

// What belongs to the thread.
class DaemonSource::Poller {
 public:
  Poller(const api::ServerUrl& server, Pace pace, Sights& sights)
      : pace_(pace),
        transport_({.server = server, .is_daemon = true}, transport_options()),
        sights_(sights) {}

  // On the thread that makes it.
  Result<void> ask_first() {
    const Answer answer = answered(transport_, request("/overview"));
    if (const Result<policy::Overview> got = overview_in(answer); !got && !is_not_yet(answer)) {
      return std::unexpected(got.error());
    }
    take(answer);
    return {};
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { transport_.post([] {}); });
    while (!stop.stop_requested()) transport_.run_once(kLongestWait);
  }

  void explain(std::string pod) {
    transport_.post([this, pod = std::move(pod)]() mutable {
      sight_.explained = {};
      explain_note_.clear();
      wanted_ = std::move(pod);
      show();
      ask_to_explain();
    });
  }

 private:
  [[nodiscard]] api::Request request(std::string path, api::Query query = {}) const {
    return {.path = std::move(path),
            .query = std::move(query),
            .lane = api::Lane::Unlimited,
            .deadline = pace_.deadline,
            .max_body = kMostBytes};
  }

  void ask() {
    transport_.send(request("/overview"), [this](const Answer& answer) { take(answer); });
    if (!wanted_.empty()) ask_to_explain();
  }

  void take(const Answer& answer) {
    Result<policy::Overview> got = overview_in(answer);
    const Clock::time_point now = transport_.now();
    if (got) {
      take(*std::move(got), now);
    } else {
      fail(got.error().message, now);
    }
    show();
    next_ = transport_.after(has_overview_ ? pace_.between : pace_.while_unread, [this] { ask(); });
  }

  void take(policy::Overview overview, Clock::time_point now) {
    if (!has_overview_ || overview.now != sight_.overview.now) changed_at_ = now;
    has_overview_ = true;
    sight_.overview = std::move(overview);
    sight_.is_complete = true;
    sight_.sees_nothing = false;
    const bool is_old = now - changed_at_ >= pace_.old_after;
    note_ = is_old ? as_of() + ": the daemon has no newer overview" : "";
  }

  // The last overview stays.
  void fail(const std::string& why, Clock::time_point now) {
    note_ = (has_overview_ ? as_of() : "nothing is seen yet") + ": " + why;
    if (has_overview_ || now - began_ < pace_.first_within) return;
    sight_.is_complete = true;
    sight_.sees_nothing = true;
  }

  [[nodiscard]] std::string as_of() const {
    return "all is as last seen at " + seconds_text(sight_.overview.now);
  }

  void ask_to_explain() {
    if (wanted_.empty()) return;
    transport_.send(request("/explain", {{"pod", wanted_}}),
                    [this, pod = wanted_](const Answer& answer) {
                      if (pod != wanted_) return;
                      take_explanation(answer);
                      show();
                    });
  }

  // Of a pod that the daemon does not explain, the detail is what the overview says.
  void take_explanation(const Answer& answer) {
    const Result<Value> document = document_in(answer);
    if (document) {
      sight_.explained = {wanted_, text_of_explanation(*document)};
      explain_note_.clear();
    } else {
      sight_.explained = {};
      explain_note_ = "pod " + wanted_ + " is not explained: " + document.error().message;
    }
  }

  void show() {
    sight_.notes.clear();
    for (const std::string& each : {note_, explain_note_}) {
      if (!each.empty()) sight_.notes.push_back(each);
    }
    sights_.put(sight_);
  }

  Pace pace_;
  Sight sight_{};
  bool has_overview_ = false;
  std::string note_{};          // of the overview
  std::string explain_note_{};  // of the pod that is explained
  std::string wanted_{};
  Clock::time_point began_ = Clock::now();
  Clock::time_point changed_at_{};
  api::CurlTransport transport_;
  api::Ticket next_{};
  Sights& sights_;
};

DaemonSource::DaemonSource(const api::ServerUrl& server, std::function<void()> news, Pace pace)
    : name_(api::to_string(server)),
      sights_(std::move(news)),
      poller_(std::make_unique<Poller>(server, pace, sights_)) {}

Result<std::unique_ptr<DaemonSource>> DaemonSource::open(const api::ServerUrl& server,
                                                         std::function<void()> news, Pace pace) {
  std::unique_ptr<DaemonSource> source(new DaemonSource(server, std::move(news), pace));
  const Result<void> reached = source->poller_->ask_first();
  if (!reached) return std::unexpected(reached.error().with("ask " + source->name_ + "/overview"));
  const SignalsBlocked blocked;
  source->thread_ = std::jthread(
      [poller = source->poller_.get()](const std::stop_token& stop) { poller->run(stop); });
  return source;
}

DaemonSource::~DaemonSource() = default;

void DaemonSource::explain(std::string pod) { poller_->explain(std::move(pod)); }

}  // namespace elbowroom::cli::top
