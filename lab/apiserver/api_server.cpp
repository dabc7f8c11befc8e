#include "lab/apiserver/api_server.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii_lower.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kMaxRecords = 4096;
constexpr std::size_t kMaxRecordedBody = 4096;

// The HTTP form: "Sun, 06 Nov 1994 08:49:37 GMT". Clients read the cluster's time from it.
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

// 299 - "text", with quotes and backslashes escaped. Bytes that a header cannot carry become
// blanks.
std::string warning_header(const std::string& text) {
  std::string header = "299 - \"";
  for (const char letter : text.substr(0, 1024)) {
    if (letter == '"' || letter == '\\') header += '\\';
    header += letter >= ' ' && letter <= '~' ? letter : ' ';
  }
  return header + "\"";
}

void send(httplib::Response& response, const ApiReply& reply) {
  response.status = reply.code;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  for (const std::string& warning : reply.warnings) {
    response.set_header("Warning", warning_header(warning));
  }
  response.set_content(reply.body, reply.type);
}

void send(httplib::Response& response, const ApiError& error) { send(response, reply_of(error)); }

ApiRequest request_of(const httplib::Request& request) {
  ApiRequest asked{.method = request.method, .path = request.path, .body = request.body};
  for (const auto& [name, value] : request.params) asked.query.emplace(name, value);
  for (const auto& [name, value] : request.headers) {
    asked.headers.emplace(ascii_lower(name), value);
  }
  return asked;
}

// Announces a body and does not send it: the client sees the connection break.
void break_off(httplib::Response& response) {
  response.body.clear();
  response.headers.erase("Content-Type");
  response.set_header("Connection", "close");
  response.set_content_provider(1, "application/json",
                                [](std::size_t, std::size_t, httplib::DataSink&) { return false; });
}

// Pages of other origins must not access the cluster through a browser on this machine.
bool is_foreign(const httplib::Request& request) {
  if (request.has_header("Origin")) return true;
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.rfind(':'));
  return name != "127.0.0.1" && name != "localhost" && name != "[::1]";
}

}  // namespace

// One watch that is being served.
struct ApiServer::OpenWatch {
  ApiWatch watch;
  std::uint64_t epoch = 0;
  std::condition_variable changed{};
};

ApiServer::Turn::Turn(ApiServer& server) : server_(server), lock_(server.mutex_) {
  server_.world_.set_time(server_.clock_());
}

// A woken thread takes the lock, which is free by then.
ApiServer::Turn::~Turn() {
  if (server_.options_.protects_groups) (void)server_.protection_.step();
  if (server_.options_.controllers) (void)server_.controllers_.step(server_.world_.time());
  std::vector<std::shared_ptr<OpenWatch>> woken;
  for (const auto& open : server_.watches_) {
    if (open->watch.has_news(server_.world_)) woken.push_back(open);
  }
  lock_.unlock();
  for (const auto& open : woken) open->changed.notify_one();
}

ApiServer::ApiServer(World& world, ApiServerOptions options)
    : world_(world),
      options_(std::move(options)),
      service_(world, {.bookmark_interval = options_.bookmark_interval}),
      clock_(options_.clock) {
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
  // Replaces the library's SO_REUSEPORT, which lets two servers share a port and its connections.
  http_->set_socket_options([](socket_t socket) {
    const int yes = 1;
    (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  http_->set_payload_max_length(kMaxJsonBytes);
  http_->set_keep_alive_max_count(1'000'000);
  http_->set_keep_alive_timeout(60);
  // The library matches paths with std::regex, which recurses: long paths are refused before that.
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
    wake_all();
  }
  // The library ignores a stop that comes before its loop has begun.
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
  is_faulty_ = true;
}

void ApiServer::clear_faults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
  is_faulty_ = false;
  ++fault_epoch_;
  fault_cleared_.notify_all();
}

void ApiServer::close_watches() {
  const std::lock_guard lock(mutex_);
  ++watch_epoch_;
  wake_all();
}

void ApiServer::wake_all() {
  fault_cleared_.notify_all();
  for (const auto& open : watches_) open->changed.notify_one();
}

std::vector<RequestRecord> ApiServer::requests() const {
  const std::lock_guard lock(mutex_);
  return {requests_.begin(), requests_.end()};
}

void ApiServer::record(const httplib::Request& request, int code) {
  const std::lock_guard lock(mutex_);
  record_locked(request, code);
}

void ApiServer::record_locked(const httplib::Request& request, int code) {
  requests_.push_back({.method = request.method,
                       .target = request.target,
                       .body = request.body.substr(0, kMaxRecordedBody),
                       .code = code,
                       .user_agent = request.get_header_value("User-Agent")});
  if (requests_.size() > kMaxRecords) requests_.pop_front();
}

// True when the request is answered, or will never be answered.
bool ApiServer::meet_fault(const httplib::Request& request, httplib::Response& response,
                           bool& lose_reply) {
  if (!is_faulty_) return false;
  std::unique_lock lock(mutex_);
  const auto it = std::ranges::find_if(faults_, [&](const Fault& fault) {
    return (fault.method.empty() || fault.method == request.method) &&
           request.target.find(fault.path_contains) != std::string::npos;
  });
  if (it == faults_.end()) return false;
  const Fault fault = *it;
  if (--it->times <= 0) faults_.erase(it);
  is_faulty_ = !faults_.empty();

  if (fault.kind == Fault::Kind::LoseReply) {
    lose_reply = true;
    return false;
  }
  const std::uint64_t epoch = fault_epoch_;
  lock.unlock();
  record(request, 0);  // also when it hangs: recorded before the wait
  lock.lock();
  if (fault.kind == Fault::Kind::Hang) {
    fault_cleared_.wait(lock, [&] { return stopping_ || fault_epoch_ != epoch; });
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

void ApiServer::serve(const httplib::Request& request, httplib::Response& response) {
  bool lose_reply = false;
  response.set_header("Date", http_date(clock_()));
  if (is_foreign(request)) {
    send(response, ApiError{.code = 403,
                            .reason = "Forbidden",
                            .message = "only programs on this machine may ask; no browser pages"});
  } else if (meet_fault(request, response, lose_reply)) {
    return;
  } else if (const ApiRequest asked = request_of(request); ApiService::is_watch(asked)) {
    record(request, 200);
    start_watch(asked, response);
    return;
  } else {
    send(response, answer(request, asked, lose_reply));
    if (lose_reply) break_off(response);
    return;
  }
  record(request, response.status);
}

ApiReply ApiServer::answer(const httplib::Request& request, const ApiRequest& asked,
                           bool lose_reply) {
  const Turn turn(*this);
  ApiReply reply = service_.answer(asked);
  record_locked(request, lose_reply ? 0 : reply.code);
  return reply;
}

void ApiServer::start_watch(const ApiRequest& request, httplib::Response& response) {
  const std::lock_guard lock(mutex_);
  auto watch = service_.watch(request, ApiWatch::Clock::now());
  if (!watch) {
    send(response, watch.error());
    return;
  }
  auto open = std::make_shared<OpenWatch>(std::move(*watch), watch_epoch_);
  watches_.push_back(open);
  // With this parameter the library does not compress. In a compressed stream, small events would
  // stay in the library's buffer while kubectl waits for them.
  response.set_chunked_content_provider(
      std::string(open->watch.media_type()) + ";stream=watch",
      [this, open](std::size_t, httplib::DataSink& sink) { return continue_watch(*open, sink); },
      [this, open](bool) {
        const std::lock_guard ended(mutex_);
        std::erase(watches_, open);
      });
}

// Writes the events that are ready, or waits briefly. False ends the connection, done() ends the
// watch.
bool ApiServer::continue_watch(OpenWatch& open, httplib::DataSink& sink) {
  ApiWatch::Step step;
  {
    std::unique_lock lock(mutex_);
    const auto is_over = [&] { return stopping_ || open.epoch != watch_epoch_; };
    const auto until = std::min(open.watch.due(), ApiWatch::Clock::now() + options_.peer_check);
    open.changed.wait_until(lock, until, [&] { return is_over() || open.watch.has_news(world_); });
    if (is_over()) {
      step.over = true;
    } else {
      step = open.watch.next(world_, ApiWatch::Clock::now());
    }
  }
  if (!step.text.empty() && !sink.write(step.text.data(), step.text.size())) return false;
  if (step.over) {
    sink.done();
    return true;
  }
  return sink.is_writable();
}

}  // namespace elbowroom::lab
