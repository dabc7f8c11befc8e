// cpp-httplib reads and writes HTTP. Sockets and threads are ours: its own loop bounds neither what
// a request may take as a whole nor how many connections may wait.
#include "daemon/http.h"

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/durable_file.h"
#include "base/fd.h"
#include "daemon/listener.h"

namespace elbowroom::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRequestBytes = std::size_t{4} << 10;
constexpr std::chrono::seconds kRequestTime{5};
constexpr std::chrono::seconds kReplyTime{10};
constexpr std::chrono::seconds kIdleBound{60};
constexpr std::chrono::milliseconds kPauseWhenOutOfFiles{100};

// False when the time is up or the server stops.
bool wait_for(int fd, short events, int stop, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> polled{{{fd, events, 0}, {stop, POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    if (polled[1].revents != 0) return false;
    return polled[0].revents != 0;
  }
}

// One connection as httplib reads and writes it, with the bounds of http.h.
class Connection final : public httplib::Stream {
 public:
  Connection(int socket, int stop)
      : socket_(socket), stop_(stop), read_until_(Clock::now() + kRequestTime) {}

  [[nodiscard]] bool is_readable() const override { return used_ < filled_ || left_ > 0; }
  [[nodiscard]] bool is_writable() const override { return true; }

  // httplib asks byte by byte.
  ssize_t read(char* bytes, size_t size) override {
    if (used_ == filled_ && !fill()) return -1;
    const size_t most = std::min(size, filled_ - used_);
    std::copy_n(block_.data() + used_, most, bytes);
    used_ += most;
    return static_cast<ssize_t>(most);
  }

  // All of it, as httplib does not look whether the header went out whole.
  ssize_t write(const char* bytes, size_t size) override {
    if (write_until_ == Clock::time_point{}) write_until_ = Clock::now() + kReplyTime;
    size_t sent = 0;
    while (sent < size) {
      if (!wait_for(socket_, POLLOUT, stop_, write_until_)) return -1;
      const ssize_t got = ::send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL);
      if (got < 0 && errno != EAGAIN && errno != EINTR) return -1;
      if (got > 0) sent += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  // False at the end of the stream, of the time and of what a request may take.
  bool fill() {
    while (left_ > 0 && wait_for(socket_, POLLIN, stop_, read_until_)) {
      const ssize_t got = ::recv(socket_, block_.data(), std::min(block_.size(), left_), 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got <= 0) return false;
      left_ -= static_cast<size_t>(got);
      used_ = 0;
      filled_ = static_cast<size_t>(got);
      return true;
    }
    return false;
  }

  const int socket_;
  const int stop_;
  const Clock::time_point read_until_;
  Clock::time_point write_until_{};
  size_t left_ = kMaxRequestBytes;
  std::array<char, 1024> block_{};
  size_t used_ = 0;
  size_t filled_ = 0;
};

Request request_from(const httplib::Request& asked) {
  Request request{.method = asked.method, .path = asked.path};
  for (const auto& [name, value] : asked.params) request.parameters.emplace(name, value);
  return request;
}

// Answers before httplib looks for a route of its own, whose patterns are regular expressions.
class Protocol final : public httplib::Server {
 public:
  explicit Protocol(Endpoints endpoints) : endpoints_(std::move(endpoints)) {
    set_pre_routing_handler([this](const httplib::Request& asked, httplib::Response& response) {
      const Reply reply = answer(endpoints_, request_from(asked));
      response.status = reply.status;
      response.set_content(reply.body, reply.type);
      response.set_header("Cache-Control", "no-store");
      response.set_header("X-Content-Type-Options", "nosniff");
      if (reply.status == 405) response.set_header("Allow", "GET, HEAD");
      return HandlerResponse::Handled;
    });
    // Its own answer would carry the exception's words in a header.
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          response.status = 500;
          response.set_content("internal error: see the log\n", "text/plain; charset=utf-8");
        });
  }

  void serve(Connection& connection) {
    bool closed = false;
    // Without its headers a request asks for no compression (its buffers are larger than all of
    // ours) and for no ranges.
    process_request(connection, true, closed, [](httplib::Request& request) {
      request.headers.clear();
      request.ranges.clear();
    });
  }

 private:
  const Endpoints endpoints_;
};

// Lets the reply arrive where the other side has sent more than was read: a plain close would then
// reset the connection. Bounded in time and bytes.
void close_gently(int socket, int stop) {
  ::shutdown(socket, SHUT_WR);
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  std::array<char, 1024> dropped{};
  for (int i = 0; i < 64 && wait_for(socket, POLLIN, stop, deadline); ++i) {
    if (::recv(socket, dropped.data(), dropped.size(), 0) <= 0) return;
  }
}

}  // namespace

struct HttpServer::Running {
  Listener listener;
  Fd stop;
  Protocol protocol;
  std::array<std::jthread, 2> threads{};  // last: they use the others

  Running(Listener listens, Fd stops, Endpoints endpoints)
      : listener(std::move(listens)), stop(std::move(stops)), protocol(std::move(endpoints)) {
    for (std::jthread& thread : threads) thread = std::jthread([this]() noexcept { run(); });
  }
  ~Running() {
    ::eventfd_write(stop.get(), 1);  // never read, so that every poll sees it
  }

  void run() noexcept {
    while (!stopped(std::chrono::milliseconds(0))) {
      if (!wait_for(listener.socket.get(), POLLIN, stop.get(), Clock::now() + kIdleBound)) continue;
      const Fd socket(
          ::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket.is_open()) {
        Connection connection(socket.get(), stop.get());
        protocol.serve(connection);
        close_gently(socket.get(), stop.get());
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        // The connection stays ready, and polling at once would spin.
        static_cast<void>(stopped(kPauseWhenOutOfFiles));
      }
    }
  }

  // Whether the server stops within that time.
  [[nodiscard]] bool stopped(std::chrono::milliseconds within) const {
    pollfd polled{stop.get(), POLLIN, 0};
    return ::poll(&polled, 1, static_cast<int>(within.count())) > 0;
  }
};

HttpServer::HttpServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
HttpServer::~HttpServer() = default;

const Address& HttpServer::address() const { return running_->listener.address; }

Result<std::unique_ptr<HttpServer>> HttpServer::start(const Address& address, Endpoints endpoints) {
  Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.is_open()) return std::unexpected(error_of_errno(errno, "create", "an eventfd"));
  ASSIGN_OR_RETURN(Listener listener, listen_on(address));
  return std::unique_ptr<HttpServer>(new HttpServer(
      std::make_unique<Running>(std::move(listener), std::move(stop), std::move(endpoints))));
}

}  // namespace elbowroom::daemon
