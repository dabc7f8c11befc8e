#include "lab/virtual/virtual_transport.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "api/codec/wire_filter.h"
#include "api/transport/http_date.h"

namespace elbowroom::lab {
namespace {

using api::Clock;

constexpr Clock::time_point kNever = Clock::time_point::max();
constexpr std::chrono::microseconds kLeastLatency{200};
constexpr std::uint64_t kLatencySpread = 1'800;  // microseconds
constexpr std::chrono::seconds kHeldAtMost{1};

std::string decoded(std::string_view text) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr ==
                             text.data() + i + 3;
    out.push_back(is_code ? static_cast<char>(value) : text[i]);
    if (is_code) i += 2;
  }
  return out;
}

std::string_view reason_of(int code) {
  switch (code) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "InternalError";
  }
}

ApiError error_for(const ApiFault& fault, int code) {
  return {.code = code,
          .reason = std::string(reason_of(code)),
          .message = "a fault of the simulation",
          .retry_after_seconds = static_cast<int>(fault.retry_after.count())};
}

std::string name_of(const api::Request& request) {
  return std::string(api::to_string(request.method)) + " " + request.path;
}

std::unexpected<Error> broken(const api::Request& request, std::string_view why) {
  return failure(Code::Unavailable, name_of(request) + ": " + std::string(why));
}

// Returns the uid of the first event's object.
std::string_view object_of(std::string_view events) {
  constexpr std::string_view kUid = R"("uid":")";
  const std::size_t at = events.substr(0, events.find('\n')).find(kUid);
  if (at == std::string_view::npos) return "";
  const std::string_view from = events.substr(at + kUid.size());
  return from.substr(0, from.find('"'));
}

// Annotations are strings, but in transit this one is replaced by a value that is not.
std::string as_sent(std::string body) {
  static const std::string good = "\"" + std::string(kUnreadable) + R"(":"true")";
  static const std::string odd = "\"" + std::string(kUnreadable) + R"(":true)";
  // Hardly any text contains it, and every text is searched.
  static const std::boyer_moore_horspool_searcher search(good.begin(), good.end());
  for (auto at = std::search(body.cbegin(), body.cend(), search); at != body.cend();
       at = std::search(body.cbegin(), body.cend(), search)) {
    body.replace(at, at + static_cast<std::ptrdiff_t>(good.size()), odd);
  }
  return body;
}

// True if the event arrives unchanged.
bool is_readable(const WatchEvent& event) {
  return find_at(event.object, {"metadata", "annotations", kUnreadable}) == nullptr;
}

// Returns the object as a client with our decoders reads it.
Value as_read(const Json& object) {
  static const api::WireFilter pods("Pod", api::WireFilter::Of::Object);
  static const api::WireFilter nodes("Node", api::WireFilter::Of::Object);
  const std::string kind = text_at(object, {"kind"});
  if (kind == "Pod") return to_value(object, pods);
  return kind == "Node" ? to_value(object, nodes) : to_value(object);
}

bool is_watch(const api::Request& request) {
  return std::ranges::find(request.query, std::pair<std::string, std::string>("watch", "true")) !=
         request.query.end();
}

bool meets(const ApiFault& fault, const api::Request& request) {
  const bool is_read = request.method == api::Method::Get;
  switch (fault.of) {
    case ApiFault::Of::Any:
      return true;
    case ApiFault::Of::Lists:
      return is_read && !is_watch(request);
    case ApiFault::Of::Reads:
      return is_read;
    case ApiFault::Of::Writes:
      return !is_read && request.lane == api::Lane::Calls;
    case ApiFault::Of::Watches:
      return is_watch(request);
  }
  return false;
}

}  // namespace

ApiRequest request_of(const api::Request& request) {
  ApiRequest asked{.method = std::string(api::to_string(request.method)),
                   .path = decoded(request.path),
                   .body = request.body};
  for (const auto& [name, value] : request.query) asked.query.try_emplace(name, value);
  if (!request.accept.empty()) asked.headers["accept"] = request.accept;
  if (!request.content_type.empty()) asked.headers["content-type"] = request.content_type;
  return asked;
}

api::Response response_of(ApiReply reply) {
  api::Response response{.status = reply.code, .content_type = std::move(reply.type)};
  if (const auto wish = reply.headers.find("Retry-After"); wish != reply.headers.end()) {
    response.retry_after = std::chrono::seconds(std::atoi(wish->second.c_str()));
  }
  response.body = std::move(reply.body);
  return response;
}

VirtualTransport::VirtualTransport(Place place, api::TransportOptions options, std::uint64_t seed)
    : place_(place),
      options_(std::move(options)),
      random_(seed),
      calls_{api::TokenBucket(options_.calls)},
      events_{api::TokenBucket(options_.events)},
      unlimited_{api::TokenBucket(api::Rate{std::chrono::milliseconds(1), 1'000'000})} {}

VirtualTransport::Lane& VirtualTransport::lane_of(api::Lane lane) {
  if (lane == api::Lane::Calls) return calls_;
  return lane == api::Lane::Events ? events_ : unlimited_;
}

Clock::duration VirtualTransport::latency() {
  return kLeastLatency + std::chrono::microseconds(random_() % kLatencySpread);
}

// ---- requests ----

std::uint64_t VirtualTransport::enqueue(Exchange exchange) {
  const std::uint64_t id = next_id_++;
  Lane& lane = lane_of(exchange.request.lane);
  if (lane.waiting.size() >= options_.max_waiting) {
    exchange.phase = Phase::Answered;
    exchange.started = exchange.due = now();
    exchange.outcome =
        failure(Code::Exhausted, name_of(exchange.request) + ": too many requests wait to be sent");
  } else {
    lane.waiting.push_back(id);
  }
  exchanges_.emplace(id, std::move(exchange));
  return id;
}

void VirtualTransport::send(api::Request request, Done done) {
  Exchange exchange{.request = std::move(request)};
  exchange.callbacks.done = std::move(done);
  enqueue(std::move(exchange));
}

api::Ticket VirtualTransport::stream(api::Request request, api::StreamCallbacks callbacks) {
  Exchange exchange{.request = std::move(request), .callbacks = std::move(callbacks)};
  exchange.streams = true;
  const std::uint64_t id = enqueue(std::move(exchange));
  // Its callbacks may be running: tell() and follow_watch() keep them alive meanwhile.
  return api::Ticket([this, id] { exchanges_.erase(id); });
}

api::Ticket VirtualTransport::after(Clock::duration delay, std::move_only_function<void()> f) {
  const std::uint64_t id = next_id_++;
  const Clock::time_point due = now() + delay;
  timers_.emplace(due, std::pair(id, std::move(f)));
  return api::Ticket([this, id, due] {
    const auto [begin, end] = timers_.equal_range(due);
    const auto found =
        std::find_if(begin, end, [id](const auto& entry) { return entry.second.first == id; });
    if (found != end) timers_.erase(found);
  });
}

void VirtualTransport::post(std::move_only_function<void()> f) { posted_.push_back(std::move(f)); }

// ---- schedule ----

Clock::time_point VirtualTransport::deadline_of(const Exchange& exchange) const {
  Clock::time_point at = exchange.started + exchange.request.deadline;
  at = std::min(at, exchange.request.not_after.value_or(at));
  if (exchange.phase == Phase::Watching && exchange.request.idle_limit.count() > 0) {
    at = std::min(at, exchange.heard + exchange.request.idle_limit);
  }
  return at;
}

std::optional<Clock::time_point> VirtualTransport::due_of(const Exchange& exchange) const {
  switch (exchange.phase) {
    case Phase::Waiting:
      return std::nullopt;
    case Phase::OnTheWay:
    case Phase::Answered:
      return std::min(exchange.due, deadline_of(exchange));
    case Phase::Watching:
      break;
  }
  Clock::time_point at = deadline_of(exchange);
  if (exchange.is_silent) return at;
  if (!exchange.held.empty()) at = std::min(at, exchange.held_until);
  Clock::time_point says = exchange.watch->due();
  if (exchange.watch->is_behind(place_.world)) says = now();
  return std::min(at, std::max(says, exchange.stale_until));
}

std::optional<Clock::time_point> VirtualTransport::next_due() const {
  if (!posted_.empty()) return now();
  Clock::time_point least = kNever;
  if (!timers_.empty()) least = timers_.begin()->first;
  for (const Lane* lane : {&calls_, &events_, &unlimited_}) {
    if (!lane->waiting.empty()) least = std::min(least, now() + lane->bucket.wait(now()));
  }
  for (const auto& [id, exchange] : exchanges_) {
    if (const auto due = due_of(exchange)) least = std::min(least, *due);
  }
  if (least == kNever) return std::nullopt;
  return std::max(least, now());
}

bool VirtualTransport::is_idle() const {
  if (!posted_.empty()) return false;
  return std::ranges::all_of(exchanges_, [&](const auto& entry) {
    const Exchange& each = entry.second;
    return each.phase == Phase::Watching && !each.is_silent && each.held.empty() &&
           !each.watch->is_behind(place_.world);
  });
}

// ---- steps ----

void VirtualTransport::run_once(Clock::duration /*max_wait*/) {
  run_posted();
  fire_timers();
  // Iterates by id: callbacks add and remove exchanges.
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    const std::uint64_t id = at->first;
    const auto due = due_of(at->second);
    if (due && *due <= now()) handle(id);
    at = exchanges_.upper_bound(id);
  }
  for (Lane* lane : {&unlimited_, &calls_, &events_}) start_waiting(*lane);
}

void VirtualTransport::run_posted() {
  for (auto& f : std::exchange(posted_, {})) f();
}

void VirtualTransport::fire_timers() {
  while (!timers_.empty() && timers_.begin()->first <= now()) {
    auto f = std::move(timers_.begin()->second.second);
    timers_.erase(timers_.begin());
    f();
  }
}

void VirtualTransport::start_waiting(Lane& lane) {
  while (!lane.waiting.empty()) {
    const auto found = exchanges_.find(lane.waiting.front());
    if (found == exchanges_.end()) {  // cancelled
      lane.waiting.pop_front();
      continue;
    }
    if (!lane.bucket.take(now())) return;
    lane.waiting.pop_front();
    start(found->second);
  }
}

void VirtualTransport::start(Exchange& exchange) {
  exchange.phase = Phase::OnTheWay;
  exchange.started = now();
  exchange.due = now() + latency();
  exchange.fault = fault_for(exchange);
  if (exchange.fault && exchange.fault->kind == ApiFault::Kind::Hang) exchange.due = kNever;
}

std::optional<ApiFault> VirtualTransport::fault_for(const Exchange& exchange) {
  std::erase_if(faults_, [&](const Armed& each) {
    return each.fault.lasts.count() > 0 && each.ends <= now();
  });
  const bool watches = is_watch(exchange.request);
  const auto at = std::ranges::find_if(faults_, [&](const Armed& each) {
    if (is_about_watches(each.fault.kind)) return watches;
    return meets(each.fault, exchange.request);
  });
  if (at == faults_.end()) return std::nullopt;
  const ApiFault fault = at->fault;
  if (fault.lasts.count() == 0 && --at->fault.times <= 0) faults_.erase(at);
  meet(fault);
  return fault;
}

void VirtualTransport::meet(const ApiFault& fault) {
  if (told_) told_(fault);
}

void VirtualTransport::arm(ApiFault fault) {
  if (!is_about_watches(fault.kind)) {
    faults_.push_back({fault, now() + fault.lasts});
    return;
  }
  // The fault affects an open watch at once; without one it waits for the next watch.
  std::vector<std::uint64_t> open;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.phase == Phase::Watching && !exchange.is_silent) open.push_back(id);
  }
  if (open.empty()) {
    faults_.push_back({fault, now() + fault.lasts});
    return;
  }
  const std::uint64_t hit = open[random_() % open.size()];
  meet(fault);
  hit_watch(hit, fault);
}

void VirtualTransport::handle(std::uint64_t id) {
  Exchange& exchange = exchanges_.find(id)->second;
  if (now() >= deadline_of(exchange)) {
    const bool is_idle_limit = exchange.phase == Phase::Watching;
    return end(id, broken(exchange.request,
                          is_idle_limit ? "nothing came for too long" : "operation timed out"));
  }
  if (exchange.phase == Phase::Watching) return follow_watch(id);
  if (exchange.phase == Phase::Answered) return tell(id);
  arrive(exchange);
  if (exchange.watch) open_watch(id, exchange);
}

// The request arrives at the server. Its response is on the way back afterwards.
void VirtualTransport::arrive(Exchange& exchange) {
  exchange.phase = Phase::Answered;
  exchange.due = now() + latency();
  const auto& fault = exchange.fault;
  if (fault && fault->kind == ApiFault::Kind::Refused) {
    exchange.outcome = broken(exchange.request, "could not connect to server");
    return;
  }
  if (fault &&
      (fault->kind == ApiFault::Kind::Status || fault->kind == ApiFault::Kind::WatchGone)) {
    const int code = fault->kind == ApiFault::Kind::Status ? fault->code : 410;
    exchange.outcome = response_of(reply_of(error_for(*fault, code)));
    return;
  }
  answer(exchange);
  if (!fault) return;
  if (fault->kind == ApiFault::Kind::Slow) exchange.due = now() + fault->delay;
  if (fault->kind == ApiFault::Kind::LostReply) {
    exchange.watch.reset();
    exchange.outcome = broken(exchange.request, "connection reset by peer");
  }
  if (fault->kind == ApiFault::Kind::HalfReply) {
    exchange.watch.reset();
    if (exchange.outcome && is_success(*exchange.outcome)) {
      exchange.part = exchange.outcome->body.substr(0, exchange.outcome->body.size() / 2);
    }
    exchange.outcome = broken(exchange.request, "transfer closed with outstanding data remaining");
  }
}

void VirtualTransport::answer(Exchange& exchange) {
  if (asked_) asked_(exchange.request);
  ApiRequest asked = request_of(exchange.request);
  if (!exchange.streams || !ApiService::is_watch(asked)) {
    api::Response response = response_of(place_.service.answer(asked));
    response.body = as_sent(std::move(response.body));
    response.date = api::format_http_date(place_.clock.wall);
    exchange.outcome = std::move(response);
    return;
  }
  asked.headers.erase("accept");  // watches are sent in JSON, because faults change their lines
  auto watch = place_.service.watch(asked, now());
  if (watch) {
    exchange.watch = std::move(*watch);
    exchange.outcome = api::Response{.status = 200, .content_type = "application/json"};
  } else {
    exchange.outcome = response_of(reply_of(watch.error()));
  }
}

void VirtualTransport::open_watch(std::uint64_t id, Exchange& exchange) {
  exchange.phase = Phase::Watching;
  exchange.heard = now();
  const std::optional<ApiFault> fault = exchange.fault;
  if (fault && fault->kind == ApiFault::Kind::Slow) exchange.stale_until = now() + fault->delay;
  auto opened = std::move(exchange.callbacks.opened);
  if (opened) opened(*exchange.outcome);
  if (fault && is_about_watches(fault->kind) && exchanges_.contains(id)) hit_watch(id, *fault);
}

void VirtualTransport::hit_watch(std::uint64_t id, const ApiFault& fault) {
  Exchange& exchange = exchanges_.find(id)->second;
  switch (fault.kind) {
    case ApiFault::Kind::WatchSilent:
      exchange.is_silent = true;
      return;
    case ApiFault::Kind::WatchStale:
      exchange.stale_until = now() + fault.delay;
      return;
    case ApiFault::Kind::Duplicate:
      exchange.doubles = true;
      return;
    case ApiFault::Kind::Reordered:
      exchange.swaps = true;
      return;
    case ApiFault::Kind::WatchGone:
      faults_.push_front({fault, now()});
      break;
    case ApiFault::Kind::WatchGoneEvent:
      exchange.part =
          R"({"type":"ERROR","object":)" + to_text(to_status(error_for(fault, 410))) + "}\n";
      break;
    default:
      if (fault.delay.count() > 0) exchange.part = R"({"type":"MODIFIED","object":{"kind":"Po)";
      break;
  }
  // It ends soon, but never inside the call that asked for the fault.
  exchange.phase = Phase::Answered;
  exchange.due = now() + latency();
  exchange.watch.reset();
  exchange.outcome = api::Response{.status = 200, .content_type = "application/json"};
}

void VirtualTransport::follow_watch(std::uint64_t id) {
  Exchange& exchange = exchanges_.find(id)->second;
  // An event and the response to the request that caused it use two connections, so their order is
  // not fixed.
  if (exchange.watch->is_behind(place_.world) && !std::exchange(exchange.is_coming, true)) {
    exchange.stale_until = std::max(exchange.stale_until, now() + latency());
    return;
  }
  exchange.is_coming = false;
  const bool as_trees = exchange.callbacks.event && !is_disturbed(exchange);
  ApiWatch::Step step = as_trees ? exchange.watch->next_as_trees(place_.world, now())
                                 : exchange.watch->next(place_.world, now());
  if (std::ranges::all_of(step.events, is_readable)) {
    tell_events(id, std::exchange(step.events, {}));
    if (!exchanges_.contains(id)) return;
  }
  for (auto at = step.events.rbegin(); at != step.events.rend(); ++at) {
    step.text.insert(0, ApiWatch::line_of(*at));
  }
  const std::string text = as_told(exchange, as_sent(std::move(step.text)));
  if (step.over) {
    exchange.phase = Phase::Answered;
    exchange.due = now();
    exchange.part = text;
    return;
  }
  if (text.empty()) return;
  exchange.heard = now();
  // Kept alive here while it runs: it may cancel its own stream.
  auto chunk = std::move(exchange.callbacks.chunk);
  chunk(text);
  if (const auto still = exchanges_.find(id); still != exchanges_.end()) {
    still->second.callbacks.chunk = std::move(chunk);
  }
}

// Delivers events as objects while no fault changes their bytes.
void VirtualTransport::tell_events(std::uint64_t id, const std::vector<WatchEvent>& events) {
  for (const WatchEvent& each : events) {
    const auto at = exchanges_.find(id);
    if (at == exchanges_.end()) return;  // an earlier event ended it
    at->second.heard = now();
    auto event = std::move(at->second.callbacks.event);
    event(each.type, as_read(each.object));
    if (const auto still = exchanges_.find(id); still != exchanges_.end()) {
      still->second.callbacks.event = std::move(event);
    }
  }
}

// Returns the bytes of a watch after the faults that duplicate and reorder. Every API server keeps
// the order of events of one object.
bool VirtualTransport::is_disturbed(const Exchange& exchange) {
  return exchange.doubles || exchange.swaps || !exchange.held.empty();
}

std::string VirtualTransport::as_told(Exchange& exchange, std::string text) {
  const auto end_of_first = [](const std::string& events) { return events.find('\n') + 1; };
  if (exchange.doubles && !text.empty()) {
    exchange.doubles = false;
    text.insert(0, text.substr(0, end_of_first(text)));
  }
  if (!exchange.held.empty() && (!text.empty() || now() >= exchange.held_until)) {
    const bool is_same = text.empty() || object_of(text) == object_of(exchange.held);
    text.insert(is_same ? 0 : end_of_first(text), std::exchange(exchange.held, ""));
    return text;
  }
  const bool is_one_event =
      !text.empty() && end_of_first(text) == text.size() && !object_of(text).empty();
  if (exchange.swaps && is_one_event) {
    exchange.swaps = false;
    exchange.held = std::exchange(text, "");
    exchange.held_until = now() + kHeldAtMost;
  }
  return text;
}

void VirtualTransport::tell(std::uint64_t id) {
  const auto found = exchanges_.find(id);
  Exchange& exchange = found->second;
  const bool flows = exchange.streams && (!exchange.part.empty() ||
                                          (exchange.outcome && is_success(*exchange.outcome)));
  if (!flows) return end(id, std::move(exchange.outcome));
  std::string text = std::move(exchange.part);
  if (exchange.outcome && !exchange.outcome->body.empty()) {
    text = std::exchange(exchange.outcome->body, "");
  }
  if (auto opened = std::move(exchange.callbacks.opened)) {
    opened(exchange.outcome ? *exchange.outcome : api::Response{.status = 200});
  }
  if (!exchanges_.contains(id)) return;
  auto chunk = std::move(exchange.callbacks.chunk);
  if (chunk && !text.empty()) chunk(text);
  if (!exchanges_.contains(id)) return;
  end(id, std::move(exchange.outcome));
}

void VirtualTransport::end(std::uint64_t id, Result<api::Response> outcome) {
  const auto found = exchanges_.find(id);
  auto done = std::move(found->second.callbacks.done);
  exchanges_.erase(found);
  if (done) done(std::move(outcome));
}

void VirtualTransport::abandon(bool arrives) {
  for (auto& [id, exchange] : exchanges_) {
    if (!arrives || exchange.phase != Phase::OnTheWay) continue;
    const bool is_lost = exchange.fault && exchange.fault->kind != ApiFault::Kind::Slow &&
                         exchange.fault->kind != ApiFault::Kind::HalfReply &&
                         exchange.fault->kind != ApiFault::Kind::LostReply;
    if (!is_lost && exchange.request.method != api::Method::Get) answer(exchange);
  }
  exchanges_.clear();
  timers_.clear();
  posted_.clear();
}

}  // namespace elbowroom::lab
