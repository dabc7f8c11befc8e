#include "api/transport/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csignal>
#include <utility>

#include "api/codec/timestamp.h"
#include "api/transport/curl_request.h"
#include "api/transport/socket_set.h"
#include "api/transport/tls_error.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxPosted = 65'536;
// Over HTTP/1.1 each watch has one of its own; a scheduler that places pods watches 16 kinds.
constexpr long kMaxConnections = 64;
// Over HTTP/2, libcurl visits every request whenever anything arrives for one of them. More
// requests at a time would not finish sooner, and each would cost more. A request that takes longer
// than a second does not count.
constexpr std::size_t kMostBusy = 24;
constexpr std::chrono::seconds kSlow{1};
constexpr std::chrono::milliseconds kGather{2};
// Events that wait for their rate leave some at a time: each wakes the thread twice otherwise.
constexpr std::chrono::milliseconds kEventsTogether{100};
constexpr std::chrono::seconds kProgramRound{1};  // how often its deadline is checked
// A connection of our own that broke, or never came to be, is tried again after that.
constexpr std::chrono::seconds kDirectAgain{10};

struct Library {
  Library() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    std::signal(SIGPIPE, SIG_IGN);
  }
};

void* open_multi() {
  static const Library library;
  CURLM* multi = curl_multi_init();
  assert(multi != nullptr);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, kMaxConnections);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kMaxConnections);
  return multi;
}

}  // namespace

CurlTransport::CurlTransport(Access access, TransportOptions options)
    : credentials_(access),
      access_(std::move(access)),
      options_(std::move(options)),
      multi_(open_multi()),
      sockets_(std::make_unique<SocketSet>(multi_)),
      calls_{TokenBucket(options_.calls)},
      events_{TokenBucket(options_.events)},
      unlimited_{TokenBucket(Rate{std::chrono::milliseconds(1), 1'000'000})} {
  secrets_.add_proxy(access_.proxy_url);
}

CurlTransport::~CurlTransport() {
  for (auto& [id, exchange] : exchanges_) take_off_wire(*exchange);
  drop_direct();
  exchanges_.clear();
  cancelled_requests_.clear();
  sockets_.reset();
  curl_multi_cleanup(multi_);
}

CurlTransport::Queue& CurlTransport::queue_of(Lane lane) {
  switch (lane) {
    case Lane::Calls:
      return calls_;
    case Lane::Events:
      return events_;
    case Lane::Unlimited:
      break;
  }
  return unlimited_;
}

std::uint64_t CurlTransport::enqueue(std::unique_ptr<CurlRequest> exchange) {
  const std::uint64_t id = next_id_++;
  exchange->id = id;
  Queue& queue = queue_of(exchange->request.lane);
  if (queue.waiting.size() >= options_.max_waiting) {
    failed_before_send_.emplace_back(
        id, Error{Code::Exhausted, exchange->name() + ": too many requests wait to be sent", {}});
  } else {
    queue.waiting.push_back(id);
  }
  exchanges_.emplace(id, std::move(exchange));
  return id;
}

void CurlTransport::send(Request request, Done done) {
  StreamCallbacks callbacks;
  callbacks.done = std::move(done);
  enqueue(std::make_unique<CurlRequest>(std::move(request), std::move(callbacks), false, handles_));
}

Ticket CurlTransport::stream(Request request, StreamCallbacks callbacks) {
  const std::uint64_t id = enqueue(
      std::make_unique<CurlRequest>(std::move(request), std::move(callbacks), true, handles_));
  return Ticket([this, id] { cancel(id); });
}

void CurlTransport::cancel(std::uint64_t id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  take_off_wire(*found->second);
  // Not destroyed here: one of its own callbacks may be cancelling it.
  cancelled_requests_.push_back(std::move(found->second));
  exchanges_.erase(found);
}

Ticket CurlTransport::after(Clock::duration delay, std::move_only_function<void()> f) {
  const std::uint64_t id = next_id_++;
  const Clock::time_point due = Clock::now() + delay;
  timers_.emplace(due, Timer{id, std::move(f)});
  return Ticket([this, id, due] {
    const auto [begin, end] = timers_.equal_range(due);
    const auto found =
        std::find_if(begin, end, [id](const auto& entry) { return entry.second.id == id; });
    if (found != end) timers_.erase(found);
  });
}

void CurlTransport::post(std::move_only_function<void()> f) {
  bool is_first = false;
  {
    const std::lock_guard lock(posted_mutex_);
    assert(posted_.size() < kMaxPosted);
    is_first = posted_.empty();
    posted_.push_back(std::move(f));
  }
  // All posted functions are taken at once, so the first post wakes the thread for all of them.
  if (is_first) sockets_->wake();
}

policy::Time CurlTransport::wall() const {
  return std::chrono::time_point_cast<policy::Time::duration>(std::chrono::system_clock::now());
}

void CurlTransport::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { sockets_->wake(); });
  while (!stop.stop_requested()) run_once(std::chrono::seconds(10));
}

void CurlTransport::run_once(Clock::duration max_wait) {
  const Clock::time_point began = Clock::now();
  ran_callback_ = false;
  cancelled_requests_.clear();
  run_posted();
  fire_timers();
  report_failed_before_send();
  start_waiting();
  sockets_->act_on_time();
  // Requests that end while they start are reported before the wait: on a kept connection a whole
  // response may already be there.
  deliver_chunks();
  finish_completed();
  if (options_.waits) options_.waits();
  flush_direct();

  // Does not wait if a callback ran in this round. Requests that failed to start are reported in
  // the next round.
  const Clock::time_point paused = Clock::now();
  gather();
  const bool is_at_once = ran_callback_ || !failed_before_send_.empty();
  sockets_->wait(is_at_once ? Clock::duration::zero() : time_to_next(max_wait),
                 credentials_.descriptors());
  const Clock::time_point resumed = Clock::now();
  sockets_->act();
  act_direct();

  deliver_chunks();
  finish_completed();
  end_idle();
  end_late();
  if (options_.worked) options_.worked(Clock::now() - resumed + (paused - began));
}

// While calls wait for their lane anyway, responses and events are collected: one round for each
// would cost more.
void CurlTransport::gather() {
  if (!calls_.waiting.empty()) SocketSet::pause(gathered_ + kGather - Clock::now());
  gathered_ = Clock::now();
}

void CurlTransport::run_posted() {
  std::vector<std::move_only_function<void()>> posted;
  {
    const std::lock_guard lock(posted_mutex_);
    posted.swap(posted_);
  }
  ran_callback_ = ran_callback_ || !posted.empty();
  for (auto& f : posted) f();
}

void CurlTransport::fire_timers() {
  const Clock::time_point now = Clock::now();
  // One at a time: a timer's function may cancel the next one.
  while (!timers_.empty() && timers_.begin()->first <= now) {
    auto f = std::move(timers_.begin()->second.f);
    timers_.erase(timers_.begin());
    ran_callback_ = true;
    f();
  }
}

void CurlTransport::report_failed_before_send() {
  const auto doomed = std::exchange(failed_before_send_, {});
  for (const auto& [id, error] : doomed) end(id, std::unexpected(error));
}

void CurlTransport::start_waiting() {
  exclude_slow_requests(Clock::now());
  if (!has_backlog()) {
    // No request needs credentials now, but a running program is still advanced.
    may_start_ = may_start_ || credentials_.ready(Clock::now(), wall());
    return;
  }
  may_start_ = access_.server.scheme != "https" || credentials_.ready(Clock::now(), wall());
  if (!may_start_) return;
  for (Queue* queue : {&unlimited_, &calls_, &events_}) start_waiting(*queue);
}

bool CurlTransport::has_backlog() const {
  return !unlimited_.waiting.empty() || !calls_.waiting.empty() || !events_.waiting.empty();
}

void CurlTransport::exclude_slow_requests(Clock::time_point now) {
  while (!recently_sent_.empty() && recently_sent_.begin()->first + kSlow <= now)
    recently_sent_.erase(recently_sent_.begin());
}

bool CurlTransport::has_place(const CurlRequest& exchange) const {
  return exchange.is_stream || recently_sent_.size() < kMostBusy;
}

void CurlTransport::start_waiting(Queue& queue) {
  while (!queue.waiting.empty()) {
    const auto found = exchanges_.find(queue.waiting.front());
    if (found == exchanges_.end()) {  // cancelled
      queue.waiting.pop_front();
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (!has_place(*found->second) || now < queue.not_before) return;
    if (!queue.bucket.take(now)) {
      if (&queue == &events_) queue.not_before = now + kEventsTogether;
      return;
    }
    queue.waiting.pop_front();
    start(*found->second);
  }
}

void CurlTransport::start(CurlRequest& exchange) {
  if (const auto started = put_on_wire(exchange); !started) {
    failed_before_send_.emplace_back(exchange.id, started.error().with(exchange.name()));
  }
}

Result<void> CurlTransport::put_on_wire(CurlRequest& exchange) {
  const Clock::time_point now = Clock::now();
  exchange.sent = now;
  if (const auto& not_after = exchange.request.not_after) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(*not_after - now);
    if (left.count() <= 0)
      return failure(Code::Unavailable, "its time was over before it was sent");
    exchange.request.deadline = std::min(exchange.request.deadline, left);
  }
  exchange.token.clear();
  if (access_.server.scheme == "https") {
    ASSIGN_OR_RETURN(TlsIdentity identity, credentials_.tls(now));
    ASSIGN_OR_RETURN(exchange.token, credentials_.token(now));
    if (!exchange.token.empty()) secrets_.add_token(exchange.token);
    if (identity != identity_) {
      secrets_.add_keys(identity.key);
      identity_ = std::move(identity);
      expires_ = credentials_.expires();
      ++way_;
    }
  }
  if (goes_direct(exchange)) {
    put_direct(exchange);
    if (exchange.on_wire) return {};
  }
  RETURN_IF_ERROR(exchange.prepare({way_, access_, options_, identity_, secrets_}, touched_));
  if (curl_multi_add_handle(multi_, exchange.easy()) != CURLM_OK) {
    return failure(Code::Exhausted, "no memory for another request");
  }
  exchange.on_wire = true;
  if (exchange.request.idle_limit.count() > 0) may_idle_.insert(exchange.id);
  if (!exchange.is_stream) recently_sent_.emplace(exchange.sent, exchange.id);
  return {};
}

void CurlTransport::take_off_wire(CurlRequest& exchange) {
  if (!exchange.on_wire) return;
  if (exchange.number >= 0) {
    if (direct_) direct_->cancel(exchange.number);
    direct_ids_.erase(std::exchange(exchange.number, -1));
  } else {
    curl_multi_remove_handle(multi_, exchange.easy());
  }
  exchange.on_wire = false;
  may_idle_.erase(exchange.id);
  recently_sent_.erase({exchange.sent, exchange.id});
}

// ---- the connection of our own ----

bool CurlTransport::goes_direct(const CurlRequest& exchange) const {
  return direct_ && direct_->is_open() && direct_way_ == way_ && exchange.is_single() &&
         !exchange.keeps_to_curl;
}

// After libcurl was answered: the server is reached without a proxy, proves who it is, and speaks
// HTTP/2. What this connection trusts is said by the same values.
void CurlTransport::open_direct(const CurlRequest& exchange) {
  if (!options_.direct || direct_ || Clock::now() < direct_at_) return;
  const bool is_plain_way = access_.server.scheme == "https" && access_.proxy_url.empty() &&
                            access_.tls_server_name.empty();
  if (!is_plain_way || (!identity_.authority && !access_.skip_verification)) return;
  long version = 0;
  long port = 0;
  const char* address = nullptr;
  curl_easy_getinfo(exchange.easy(), CURLINFO_HTTP_VERSION, &version);
  curl_easy_getinfo(exchange.easy(), CURLINFO_PRIMARY_PORT, &port);
  curl_easy_getinfo(exchange.easy(), CURLINFO_PRIMARY_IP, &address);
  if (version != CURL_HTTP_VERSION_2_0 || port != access_.server.port || address == nullptr) return;
  direct_way_ = way_;
  direct_by_ = Clock::now() + options_.connect_timeout;
  direct_ =
      std::make_unique<Http2Connection>(Http2Peer{.address = address,
                                                  .port = access_.server.port,
                                                  .name = access_.server.host,
                                                  .authorities = identity_.authority.value_or(""),
                                                  .skip_verification = access_.skip_verification,
                                                  .certificate = identity_.certificate,
                                                  .key = identity_.key});
  flush_direct();
}

// What it cannot take is left to libcurl.
void CurlTransport::put_direct(CurlRequest& exchange) {
  const auto fields =
      exchange.prepare_direct({way_, access_, options_, identity_, secrets_}, touched_);
  exchange.number = direct_->submit(fields, exchange.request.body, exchange);
  if (exchange.number < 0) return;
  direct_ids_.emplace(exchange.number, exchange.id);
  exchange.on_wire = true;
  recently_sent_.emplace(exchange.sent, exchange.id);
}

// One write for all that was asked for in this round.
void CurlTransport::flush_direct() {
  if (!direct_) return;
  if (direct_way_ != way_) direct_->retire();
  direct_->flush();
  if (direct_->is_over()) return act_direct();
  sockets_->follow_own(direct_->socket(), direct_->wants_write());
}

void CurlTransport::act_direct() {
  if (!direct_) return;
  if (sockets_->is_own_ready(direct_->socket())) direct_->act();
  for (const auto& each : direct_->take_finished()) finish_direct(each);
  if (!direct_->is_over()) return;
  drop_direct();
  ran_callback_ = true;  // what it did not answer is sent at once
}

// As libcurl does, a request is sent once more where nothing of its answer had come.
void CurlTransport::finish_direct(const Http2Connection::Finished& finished) {
  const auto at = direct_ids_.find(finished.number);
  if (at == direct_ids_.end()) return;
  const std::uint64_t id = at->second;
  CurlRequest& exchange = *exchanges_.at(id);
  using End = Http2Connection::End;
  const bool is_unheard = exchange.response.status == 0 && exchange.chunk.empty();
  if (is_unheard && (finished.end == End::Untouched || finished.end == End::Lost)) {
    take_off_wire(exchange);
    exchange.keeps_to_curl = true;
    exchange.reset();
    queue_of(exchange.request.lane).waiting.push_front(id);
    return;
  }
  deliver(id);
  if (!exchanges_.contains(id)) return;
  if (finished.end == End::Lost) exchange.say("the connection broke before the end of the answer");
  const bool is_whole = finished.end == End::Answered;
  const bool is_stopped = finished.end == End::Stopped;
  finish(id, is_whole ? CURLE_OK : is_stopped ? CURLE_WRITE_ERROR : CURLE_RECV_ERROR);
}

void CurlTransport::drop_direct() {
  if (!direct_) return;
  for (const auto& each : direct_->take_finished()) finish_direct(each);
  sockets_->drop_own(direct_->socket());
  direct_.reset();
  if (direct_way_ == way_) direct_at_ = Clock::now() + kDirectAgain;
}

// Deadlines, which libcurl keeps for its own requests. A server that is late is asked by libcurl
// from then on, and one that does not answer the handshake is not waited for.
void CurlTransport::end_late() {
  const Clock::time_point now = Clock::now();
  if (direct_ && direct_->is_connecting() && direct_by_ <= now) drop_direct();
  std::vector<std::uint64_t> late;
  for (const auto& [number, id] : direct_ids_) {
    const CurlRequest& exchange = *exchanges_.at(id);
    if (exchange.sent + exchange.request.deadline <= now) late.push_back(id);
  }
  for (const std::uint64_t id : late) {
    const auto found = exchanges_.find(id);
    if (found == exchanges_.end()) continue;
    found->second->say("it took too long");
    if (direct_) direct_->retire();
    finish(id, CURLE_OPERATION_TIMEDOUT);
  }
}

void CurlTransport::deliver_chunks() {
  const auto touched = std::exchange(touched_, {});
  for (const std::uint64_t id : touched) deliver(id);
}

void CurlTransport::deliver(std::uint64_t id) {
  auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  CurlRequest& exchange = *found->second;
  ran_callback_ = true;
  if (exchange.is_flowing() && !exchange.is_opened) {
    exchange.is_opened = true;
    if (exchange.callbacks.opened) exchange.callbacks.opened(exchange.response);
    if (!exchanges_.contains(id)) return;  // cancelled by its own callback
  }
  if (exchange.chunk.empty()) return;
  std::string chunk = std::exchange(exchange.chunk, {});
  const std::string_view told = exchange.redacted.pass(secrets_, chunk);
  if (exchange.callbacks.chunk && !told.empty()) exchange.callbacks.chunk(told);
}

// Delivers what only looked like the beginning of a secret.
void CurlTransport::deliver_rest(CurlRequest& exchange) {
  const std::string rest = exchange.redacted.rest();
  if (exchange.callbacks.chunk && !rest.empty()) exchange.callbacks.chunk(rest);
}

void CurlTransport::finish_completed() {
  std::vector<std::pair<std::uint64_t, int>> completed;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CurlRequest* exchange = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
    completed.emplace_back(exchange->id, message->data.result);
  }
  for (const auto& [id, code] : completed) finish(id, code);
}

void CurlTransport::finish(std::uint64_t id, int curl_code) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  CurlRequest& exchange = *found->second;
  if (curl_code == CURLE_OK && exchange.number < 0) open_direct(exchange);
  take_off_wire(exchange);
  if (is_worth_another_try(exchange)) {
    exchange.was_resent = true;
    exchange.reset();
    queue_of(exchange.request.lane).waiting.push_front(id);
    return;
  }
  deliver_rest(exchange);
  if (exchanges_.contains(id)) end(id, outcome_of(exchange, curl_code));
}

Result<Response> CurlTransport::outcome_of(CurlRequest& exchange, int curl_code) const {
  auto outcome = exchange.outcome(curl_code, access_, wall());
  if (outcome) {
    secrets_.redact_body(*outcome);
  } else {
    secrets_.redact(outcome.error().message);
  }
  const bool is_refused = !outcome || outcome->status == 401;
  if (!is_refused) return outcome;
  if (outcome && exchange.token.empty() && client_certificate_of(access_).empty()) {
    outcome->remark = access_.server.scheme == "https"
                          ? "no credentials were shown: name a token or client certificate in the "
                            "kubeconfig"
                          : "credentials are only shown over TLS: the server is an http address";
  } else if (const auto problem = credential_problem()) {
    // Servers that speak TLS 1.3 often close the connection without an alert.
    if (outcome) outcome->remark = problem->message;
    if (!outcome && outcome.error().message.find(problem->message) == std::string::npos) {
      outcome.error().message += "; " + problem->message;
    }
  } else if (outcome) {
    outcome->remark =
        "the server does not take the credentials: put new ones into the kubeconfig, or into the "
        "files that it names";
  }
  return outcome;
}

void CurlTransport::use(const Access& access) {
  credentials_ = Credentials(access);
  access_ = access;
  secrets_.add_proxy(access_.proxy_url);
  ++way_;
  may_start_ = true;
}

std::optional<Error> CurlTransport::credential_problem() const {
  if (auto problem = credentials_.problem()) return problem;
  const auto expires = credentials_.expires();
  if (!expires || wall() < *expires) return std::nullopt;
  return Error{Code::Denied,
               client_certificate_of(access_) + " expired at " + format_timestamp(*expires) +
                   ": renew it, or set this machine's clock if that is ahead",
               {}};
}

bool CurlTransport::is_worth_another_try(const CurlRequest& exchange) {
  return exchange.response.status == 401 && !exchange.was_resent &&
         access_.server.scheme == "https" && credentials_.renew_token(exchange.token, Clock::now());
}

void CurlTransport::end(std::uint64_t id, Result<Response> outcome) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  take_off_wire(*found->second);
  const std::unique_ptr<CurlRequest> exchange = std::move(found->second);
  exchanges_.erase(found);
  ran_callback_ = true;
  if (options_.called) {
    RequestOutcome call = called(exchange->request);
    call.status = outcome ? outcome->status : 0;
    if (exchange->sent != Clock::time_point{}) call.took = Clock::now() - exchange->sent;
    options_.called(call);
  }
  if (exchange->callbacks.done) exchange->callbacks.done(std::move(outcome));
}

void CurlTransport::end_idle() {
  const Clock::time_point now = Clock::now();
  std::vector<std::uint64_t> idle;
  for (const std::uint64_t id : may_idle_) {
    const CurlRequest& exchange = *exchanges_.at(id);
    if (now - exchange.heard >= exchange.request.idle_limit) idle.push_back(id);
  }
  for (const std::uint64_t id : idle) {
    const auto found = exchanges_.find(id);
    if (found == exchanges_.end()) continue;
    found->second->is_idle = true;
    end(id, outcome_of(*found->second, CURLE_OPERATION_TIMEDOUT));
  }
}

Clock::duration CurlTransport::time_to_next(Clock::duration at_most) const {
  const Clock::time_point now = Clock::now();
  Clock::duration least = at_most;
  if (!may_start_) least = std::min<Clock::duration>(least, kProgramRound);
  if (!timers_.empty()) least = std::min(least, timers_.begin()->first - now);
  const bool is_full = recently_sent_.size() >= kMostBusy;
  for (const Queue* queue : {&unlimited_, &calls_, &events_}) {
    if (queue->waiting.empty() || !may_start_) continue;
    const Clock::duration turn = std::max(queue->bucket.wait(now), queue->not_before - now);
    least = std::min(least, is_full ? recently_sent_.begin()->first + kSlow - now : turn);
  }
  for (const std::uint64_t id : may_idle_) {
    const CurlRequest& exchange = *exchanges_.at(id);
    least = std::min(least, exchange.heard + exchange.request.idle_limit - now);
  }
  if (direct_ && direct_->is_connecting()) least = std::min(least, direct_by_ - now);
  for (const auto& [number, id] : direct_ids_) {
    const CurlRequest& exchange = *exchanges_.at(id);
    least = std::min(least, exchange.sent + exchange.request.deadline - now);
  }
  return std::max(least, Clock::duration::zero());
}

}  // namespace elbowroom::api
