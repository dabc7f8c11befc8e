#include "daemon/http/http_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/durable_file.h"
#include "base/fd.h"
#include "base/mailbox.h"
#include "daemon/http/acceptor.h"
#include "daemon/http/http_connections.h"
#include "daemon/http/http_protocol.h"
#include "daemon/http/listener.h"

namespace elbowroom::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxAsked = 16;  // concurrent requests to callbacks that may block
constexpr std::chrono::seconds kIdleBound{60};

struct Response {
  std::uint64_t connection = 0;
  std::string bytes{};
};

std::optional<std::string> only_host_of(const Listener& listener) {
  return listener.is_loopback ? std::optional(listener.address.host) : std::nullopt;
}

}  // namespace

struct HttpServer::Running {
  Acceptor acceptor;
  Fd wake;  // an eventfd: a response is ready, or the server stops
  HttpProtocol protocol;
  // As large as the number of concurrent questions, so that a push never fails.
  Mailbox<HttpConnections::Question> questions{kMaxAsked};
  Mailbox<Response> responses{kMaxAsked};
  // Used only by the front thread.
  HttpConnections connections;
  std::size_t asked = 0;
  std::jthread answerer{};  // last, because they use the other members
  std::jthread front{};

  Running(Listener listens, Fd wakes, Endpoints endpoints, const Limits& limits)
      : acceptor(std::move(listens)),
        wake(std::move(wakes)),
        protocol(std::move(endpoints), only_host_of(acceptor.listener())),
        connections(limits) {
    answerer = std::jthread([this](const std::stop_token& stop) noexcept { answer_all(stop); });
    front = std::jthread([this](const std::stop_token& stop) noexcept { serve(stop); });
  }
  ~Running() {
    front.request_stop();
    ::eventfd_write(wake.get(), 1);
  }

  void answer_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto question = questions.take(stop, Clock::now() + kIdleBound);
      if (!question) continue;
      Response response{question->connection,
                        protocol.respond(question->head, question->over_loopback)};
      static_cast<void>(responses.try_put(std::move(response)));
      ::eventfd_write(wake.get(), 1);
    }
  }

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      auto now = Clock::now();
      std::vector<pollfd> polled = {{wake.get(), POLLIN, 0}, {acceptor.polled(now), POLLIN, 0}};
      connections.append_polls(polled);
      const auto deadline = acceptor.bounded(connections.next_deadline(), now);
      static_cast<void>(
          ::poll(polled.data(), polled.size(), milliseconds_until(deadline, now, kIdleBound)));

      now = Clock::now();
      for (auto& question : connections.turn(polled.data() + 2, now)) ask(std::move(question), now);
      if (polled[0].revents != 0) take_responses(now);
      if (polled[1].revents != 0) {
        acceptor.accept(now, [&](Fd socket) { connections.add(std::move(socket), now); });
      }
    }
  }

  void ask(HttpConnections::Question question, Clock::time_point now) {
    const std::uint64_t connection = question.connection;
    if (asks_for_life(question.head)) {
      connections.respond(connection, protocol.respond(question.head, question.over_loopback), now);
    } else if (asked == kMaxAsked || !questions.try_put(std::move(question))) {
      connections.respond(connection, HttpProtocol::too_busy(), now);
    } else {
      ++asked;
    }
  }

  void take_responses(Clock::time_point now) {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(wake.get(), &count));
    while (auto response = responses.try_take()) {
      --asked;
      connections.respond(response->connection, std::move(response->bytes), now);
    }
  }
};

HttpServer::HttpServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
HttpServer::~HttpServer() = default;

const Address& HttpServer::address() const { return running_->acceptor.listener().address; }

Result<std::unique_ptr<HttpServer>> HttpServer::start(const Address& address, Endpoints endpoints,
                                                      const Limits& limits) {
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return std::unexpected(error_of_errno(errno, "create", "an eventfd"));
  ASSIGN_OR_RETURN(Listener listener, listen_on(address));
  return std::unique_ptr<HttpServer>(new HttpServer(std::make_unique<Running>(
      std::move(listener), std::move(wake), std::move(endpoints), limits)));
}

}  // namespace elbowroom::daemon
