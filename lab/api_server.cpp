#include "lab/api_server.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "lab/discovery.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kMaxRecords = 4096;
constexpr std::size_t kMaxRecordedBody = 4096;
constexpr std::size_t kEventsAtOnce = 100;
constexpr std::chrono::milliseconds kPeerCheck{250};
constexpr std::int64_t kLongestWatch = 3600;

std::int64_t number_in(const httplib::Request& request, const char* key, std::int64_t otherwise) {
  const std::string text = request.get_param_value(key);
  std::int64_t number = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

bool truth_in(const httplib::Request& request, const char* key) {
  const std::string text = request.get_param_value(key);
  return text == "true" || text == "1";
}

std::string media_type(const httplib::Request& request) {
  const std::string type = request.get_header_value("Content-Type");
  return type.substr(0, type.find(';'));
}

std::optional<PatchType> patch_type(const std::string& media) {
  if (media == "application/merge-patch+json") return PatchType::Merge;
  if (media == "application/strategic-merge-patch+json") return PatchType::StrategicMerge;
  if (media == "application/json-patch+json") return PatchType::JsonPatch;
  return std::nullopt;
}

ApiError unsupported_media(const std::string& media) {
  return {.code = 415,
          .reason = "UnsupportedMediaType",
          .message = "the body of the request was in an unknown format: " + media +
                     "; send application/json, or one of the JSON patch types"};
}

ApiError method_not_allowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource"};
}

// As HTTP writes it: "Sun, 06 Nov 1994 08:49:37 GMT". Clients tell the cluster's time by it.
std::string http_date(policy::Time time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  const auto two = [](auto number) {
    const std::string text = std::to_string(number);
    return text.size() < 2 ? "0" + text : text;
  };
  return std::string(kDays[std::chrono::weekday(day).c_encoding()]) + ", " +
         two(static_cast<unsigned>(date.day())) + " " +
         kMonths[static_cast<unsigned>(date.month()) - 1] + " " +
         std::to_string(static_cast<int>(date.year())) + " " + two(clock.hours().count()) + ":" +
         two(clock.minutes().count()) + ":" + two(clock.seconds().count()) + " GMT";
}

void send(httplib::Response& response, int code, const Json& body) {
  response.status = code;
  response.set_content(to_text(body) + "\n", "application/json");
}

void send(httplib::Response& response, const ApiError& error) {
  if (error.retry_after_seconds > 0) {
    response.set_header("Retry-After", std::to_string(error.retry_after_seconds));
  }
  send(response, error.code, to_status(error));
}

// Announces a body and does not deliver it: the client sees the connection break.
void break_off(httplib::Response& response) {
  response.body.clear();
  response.headers.erase("Content-Type");
  response.set_header("Connection", "close");
  response.set_content_provider(1, "application/json",
                                [](std::size_t, std::size_t, httplib::DataSink&) { return false; });
}

// Pages of other origins must not reach the cluster through a browser on this machine.
bool is_foreign(const httplib::Request& request) {
  if (request.has_header("Origin")) return true;
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.rfind(':'));
  return name != "127.0.0.1" && name != "localhost" && name != "[::1]";
}

Subresource subresource_of(const Route& route) {
  if (route.subresource == "status") return Subresource::Status;
  if (route.subresource == "resize") return Subresource::Resize;
  return Subresource::None;
}

Target target_of(const Route& route) {
  return {
      .kind = route.kind, .ns = route.ns, .name = route.name, .subresource = subresource_of(route)};
}

std::string bookmark(const Kind& kind, std::uint64_t version, bool ends_initial) {
  Json object = {{"kind", kind.name},
                 {"apiVersion", api_version_of(kind)},
                 {"metadata", {{"resourceVersion", std::to_string(version)}}}};
  if (ends_initial) {
    object["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  }
  return R"({"type":"BOOKMARK","object":)" + to_text(object) + "}\n";
}

std::string error_event(const ApiError& error) {
  return R"({"type":"ERROR","object":)" + to_text(to_status(error)) + "}\n";
}

}  // namespace

// One watch, from its first event to its end.
struct ApiServer::WatchState {
  WatchQuery query{};
  std::string asked_version{};
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;
  bool opened = false;
  bool bookmarks = false;
  bool initial_events = false;
  std::chrono::steady_clock::time_point deadline{};
  std::chrono::steady_clock::time_point next_bookmark{};
};

ApiServer::ApiServer(World& world, ApiServerOptions options)
    : world_(world), options_(std::move(options)), clock_(options_.clock) {
  if (!clock_) {
    clock_ = [] {
      return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    };
  }
}

ApiServer::~ApiServer() { stop(); }

Result<void> ApiServer::start() {
  http_ = std::make_unique<httplib::Server>();
  const std::size_t threads = options_.threads;
  http_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  http_->set_tcp_nodelay(true);
  // Not the library's SO_REUSEPORT, with which two servers share a port and its connections.
  http_->set_socket_options([](socket_t socket) {
    const int yes = 1;
    (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  http_->set_payload_max_length(kMaxJsonBytes);
  http_->set_keep_alive_max_count(1'000'000);
  http_->set_keep_alive_timeout(60);
  // The library matches paths by std::regex, which recurses: long ones never get there.
  http_->set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (request.path.size() <= kMaxPath) return httplib::Server::HandlerResponse::Unhandled;
    send(response, bad_request("the path is longer than 1024 bytes"));
    return httplib::Server::HandlerResponse::Handled;
  });
  const auto serve_it = [this](const httplib::Request& request, httplib::Response& response) {
    serve(request, response);
  };
  http_->Get(".*", serve_it).Post(".*", serve_it).Put(".*", serve_it);
  http_->Patch(".*", serve_it).Delete(".*", serve_it);

  if (options_.port == 0) {
    port_ = http_->bind_to_any_port("127.0.0.1");
  } else {
    port_ = http_->bind_to_port("127.0.0.1", options_.port) ? options_.port : -1;
  }
  if (port_ <= 0) {
    http_.reset();
    return failure(Code::Unavailable, "listen on 127.0.0.1:" + std::to_string(options_.port) +
                                          ": the port is taken; choose another one");
  }
  stopping_ = false;
  ended_ = false;
  thread_ = std::thread([this]() noexcept {
    http_->listen_after_bind();
    ended_ = true;
  });
  return {};
}

void ApiServer::stop() {
  if (!http_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  // The library forgets a stop that comes before its loop has begun.
  while (!http_->is_running() && !ended_) std::this_thread::yield();
  http_->stop();
  thread_.join();
  http_.reset();
}

std::string ApiServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::string ApiServer::kubeconfig() const {
  return "apiVersion: v1\nkind: Config\nclusters:\n- name: lab\n  cluster:\n    server: " + url() +
         "\nusers:\n- name: lab\n  user: {}\ncontexts:\n- name: lab\n  context:\n"
         "    cluster: lab\n    user: lab\ncurrent-context: lab\n";
}

void ApiServer::inject(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void ApiServer::clear_faults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
  ++fault_epoch_;
  changed_.notify_all();
}

void ApiServer::close_watches() {
  const std::lock_guard lock(mutex_);
  ++watch_epoch_;
  changed_.notify_all();
}

std::vector<RequestRecord> ApiServer::requests() const {
  const std::lock_guard lock(mutex_);
  return {requests_.begin(), requests_.end()};
}

void ApiServer::record(const httplib::Request& request, int code) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(
      {request.method, request.target, request.body.substr(0, kMaxRecordedBody), code});
  if (requests_.size() > kMaxRecords) requests_.pop_front();
}

// True when the request is answered, or never will be.
bool ApiServer::meet_fault(const httplib::Request& request, httplib::Response& response,
                           bool& lose_reply) {
  std::unique_lock lock(mutex_);
  const auto it = std::ranges::find_if(faults_, [&](const Fault& fault) {
    return (fault.method.empty() || fault.method == request.method) &&
           request.target.find(fault.path_contains) != std::string::npos;
  });
  if (it == faults_.end()) return false;
  const Fault fault = *it;
  if (--it->times <= 0) faults_.erase(it);

  if (fault.kind == Fault::Kind::LoseReply) {
    lose_reply = true;
    return false;
  }
  if (fault.kind == Fault::Kind::Hang) {
    const std::uint64_t epoch = fault_epoch_;
    changed_.wait(lock, [&] { return stopping_ || fault_epoch_ != epoch; });
  }
  if (fault.kind == Fault::Kind::Refuse) {
    send(response, ApiError{.code = fault.code,
                            .reason = fault.reason,
                            .message = "a fault of the lab",
                            .retry_after_seconds = fault.retry_after_seconds});
  } else {
    break_off(response);
  }
  return true;
}

bool ApiServer::serve_own_pages(const httplib::Request& request, httplib::Response& response) {
  if (request.method != "GET") return false;
  if (request.path == "/readyz" || request.path == "/livez" || request.path == "/healthz") {
    response.set_content("ok", "text/plain");
    return true;
  }
  if (const auto document = discovery(request.path)) {
    send(response, 200, *document);
    return true;
  }
  return false;
}

void ApiServer::serve(const httplib::Request& request, httplib::Response& response) {
  bool lose_reply = false;
  response.set_header("Date", http_date(clock_()));
  if (is_foreign(request)) {
    send(response, ApiError{.code = 403,
                            .reason = "Forbidden",
                            .message = "only programs on this machine may ask; no browser pages"});
  } else if (meet_fault(request, response, lose_reply)) {
    record(request, 0);
    return;
  } else if (serve_own_pages(request, response)) {
  } else if (const auto route = parse_route(request.path); !route) {
    send(response, ApiError{.code = 404,
                            .reason = "NotFound",
                            .message = "the server could not find the requested resource"});
  } else if (request.method == "GET" && route->name.empty() && truth_in(request, "watch")) {
    record(request, 200);
    start_watch(request, *route, response);
    return;
  } else {
    Answer<Json> reply;
    {
      const std::lock_guard lock(mutex_);
      world_.set_time(clock_());
      const Announcement announcement(*this);
      reply = answer(request, *route);
    }
    if (!reply) {
      send(response, reply.error());
    } else {
      send(response, request.method == "POST" ? 201 : 200, *reply);
    }
  }
  record(request, lose_reply ? 0 : response.status);
  if (lose_reply) break_off(response);
}

Answer<Json> ApiServer::answer(const httplib::Request& request, const Route& route) {
  if (request.method == "GET") return answer_read(request, route);
  if (request.method == "POST") return answer_post(request, route);
  if (request.method == "DELETE") return answer_delete(request, route);
  if (route.name.empty() || route.subresource == "binding" || route.subresource == "eviction") {
    return std::unexpected(method_not_allowed());
  }
  const bool dry_run = request.get_param_value("dryRun") == "All";
  const std::string media = media_type(request);
  if (request.method == "PUT") {
    if (media != "application/json") return std::unexpected(unsupported_media(media));
    const auto object = parse_object(request.body);
    if (!object) return std::unexpected(bad_request(object.error().message));
    return world_.update(target_of(route), *object, dry_run);
  }
  const auto type = patch_type(media);
  if (!type) return std::unexpected(unsupported_media(media));
  // A JSON patch is a list, and parse_object() wants a mapping.
  const auto wrapped = parse_object(R"({"patch":)" + request.body + "}");
  if (!wrapped) return std::unexpected(bad_request(wrapped.error().message));
  if (wrapped->size() != 1) return std::unexpected(bad_request("the body is not JSON"));
  return world_.patch(target_of(route), *type, *find_at(*wrapped, {"patch"}), dry_run);
}

Answer<Json> ApiServer::answer_read(const httplib::Request& request, const Route& route) {
  if (!route.name.empty()) {
    if (route.subresource == "binding" || route.subresource == "eviction") {
      return std::unexpected(method_not_allowed());
    }
    return world_.get(target_of(route));
  }
  ASSIGN_OR_RETURN(Selector selector,
                   parse_selector(*route.kind, request.get_param_value("labelSelector"),
                                  request.get_param_value("fieldSelector")));
  const std::int64_t limit = number_in(request, "limit", 0);
  return world_.list({.kind = route.kind,
                      .ns = route.ns,
                      .selector = std::move(selector),
                      .limit = limit > 0 ? static_cast<std::size_t>(limit) : 0,
                      .continue_token = request.get_param_value("continue"),
                      .resource_version = request.get_param_value("resourceVersion"),
                      .exact = request.get_param_value("resourceVersionMatch") == "Exact"});
}

Answer<Json> ApiServer::answer_post(const httplib::Request& request, const Route& route) {
  const std::string media = media_type(request);
  if (media != "application/json") return std::unexpected(unsupported_media(media));
  auto object = parse_object(request.body);
  if (!object) return std::unexpected(bad_request(object.error().message));
  const bool dry_run = request.get_param_value("dryRun") == "All";
  if (route.name.empty()) {
    return world_.create(*route.kind, route.ns, std::move(*object), dry_run);
  }
  if (route.subresource == "binding") return world_.bind(route.ns, route.name, *object, dry_run);
  return std::unexpected(method_not_allowed());
}

Answer<Json> ApiServer::answer_delete(const httplib::Request& request, const Route& route) {
  if (route.name.empty() || !route.subresource.empty()) {
    return std::unexpected(method_not_allowed());
  }
  DeleteOptions options;
  options.dry_run = request.get_param_value("dryRun") == "All";
  if (request.has_param("gracePeriodSeconds")) {
    options.grace_seconds = number_in(request, "gracePeriodSeconds", 30);
  }
  if (!request.body.empty()) {
    const auto body = parse_object(request.body);
    if (!body) return std::unexpected(bad_request(body.error().message));
    if (const auto grace = integer_at(*body, {"gracePeriodSeconds"})) options.grace_seconds = grace;
    options.uid = text_at(*body, {"preconditions", "uid"});
    options.resource_version = text_at(*body, {"preconditions", "resourceVersion"});
    if (!list_at(*body, {"dryRun"}).empty()) options.dry_run = true;
  }
  return world_.remove(target_of(route), options);
}

void ApiServer::start_watch(const httplib::Request& request, const Route& route,
                            httplib::Response& response) {
  auto selector = parse_selector(*route.kind, request.get_param_value("labelSelector"),
                                 request.get_param_value("fieldSelector"));
  if (!selector) {
    send(response, selector.error());
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t seconds =
      std::clamp<std::int64_t>(number_in(request, "timeoutSeconds", 1800), 1, kLongestWatch);
  auto watch = std::make_unique<WatchState>();
  watch->query = {.kind = route.kind, .ns = route.ns, .selector = std::move(*selector)};
  watch->asked_version = request.get_param_value("resourceVersion");
  watch->bookmarks = truth_in(request, "allowWatchBookmarks");
  watch->initial_events = truth_in(request, "sendInitialEvents");
  watch->deadline = now + std::chrono::seconds(seconds);
  watch->next_bookmark = now + options_.bookmark_interval;
  {
    const std::lock_guard lock(mutex_);
    watch->epoch = watch_epoch_;
  }
  // The library keeps the provider in a std::function, which must be copyable: it gets the bare
  // pointer, and the releaser, which runs exactly once, ends its life.
  WatchState* const state = watch.release();
  response.set_chunked_content_provider(
      "application/json",
      [this, state](std::size_t, httplib::DataSink& sink) { return continue_watch(*state, sink); },
      [state](bool) { delete state; });
}

// What a watch begins with: nothing for one that resumes, everything there is for others.
Answer<std::string> ApiServer::opening_events(WatchState& watch) {
  const std::string& asked = watch.asked_version;
  const bool resumes = !asked.empty() && asked != "0";
  if (resumes && !watch.initial_events) {
    const auto [end, error] =
        std::from_chars(asked.data(), asked.data() + asked.size(), watch.version);
    if (error != std::errc{} || end != asked.data() + asked.size()) {
      return std::unexpected(bad_request("Invalid value: resourceVersion"));
    }
    return std::string();
  }
  ASSIGN_OR_RETURN(const Json list, world_.list({.kind = watch.query.kind,
                                                 .ns = watch.query.ns,
                                                 .selector = watch.query.selector,
                                                 .resource_version = asked}));
  std::string events;
  for (const Json& item : list["items"]) {
    events += R"({"type":"ADDED","object":)" + to_text(item) + "}\n";
  }
  watch.version = world_.version();
  if (watch.initial_events && watch.bookmarks) {
    events += bookmark(*watch.query.kind, watch.version, true);
  }
  return events;
}

// Writes what there is, or waits a little. False ends the connection, done() ends the watch.
bool ApiServer::continue_watch(WatchState& watch, httplib::DataSink& sink) {
  std::string text;
  bool over = false;
  {
    std::unique_lock lock(mutex_);
    if (!watch.opened) {
      watch.opened = true;
      auto events = opening_events(watch);
      if (events) {
        text = std::move(*events);
      } else {
        text = error_event(events.error());
        over = true;
      }
    } else {
      const auto until = std::min(
          {watch.deadline, watch.next_bookmark, std::chrono::steady_clock::now() + kPeerCheck});
      changed_.wait_until(lock, until, [&] {
        return stopping_ || watch.epoch != watch_epoch_ || world_.version() != watch.version;
      });
    }
    const auto now = std::chrono::steady_clock::now();
    over = over || stopping_ || watch.epoch != watch_epoch_ || now >= watch.deadline;
    if (!over && text.empty()) {
      auto events = world_.changes_after(watch.query, watch.version, kEventsAtOnce);
      if (!events) {
        text = error_event(events.error());
        over = true;
      } else {
        for (const WatchEvent& event : *events) {
          text += R"({"type":")" + event.type + R"(","object":)" + event.object + "}\n";
        }
        watch.version = events->size() == kEventsAtOnce ? events->back().version : world_.version();
      }
    }
    const bool times_out = over && now >= watch.deadline && text.empty();
    if (watch.bookmarks && (times_out || (!over && now >= watch.next_bookmark))) {
      text += bookmark(*watch.query.kind, watch.version, false);
      watch.next_bookmark = now + options_.bookmark_interval;
    }
  }
  if (!text.empty() && !sink.write(text.data(), text.size())) return false;
  if (over) {
    sink.done();
    return true;
  }
  return sink.is_writable();
}

}  // namespace elbowroom::lab
