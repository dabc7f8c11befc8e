#include "daemon/https/https_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/durable_file.h"
#include "base/fd.h"
#include "base/mailbox.h"
#include "daemon/http/acceptor.h"
#include "daemon/http/listener.h"

namespace elbowroom::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAnswers = 1024;
constexpr std::chrono::milliseconds kLongestWait{1000};
constexpr rlim_t kFilesOfOthers = 128;  // the client of the API server, logs, the HTTP port

// No more connections than this process may have files: without one the API server is lost.
TlsConnections::Limits within_files(TlsConnections::Limits limits) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return limits;
  const rlim_t left =
      files.rlim_cur > 2 * kFilesOfOthers ? files.rlim_cur - kFilesOfOthers : files.rlim_cur / 2;
  limits.connections = std::min(limits.connections, static_cast<std::size_t>(left));
  return limits;
}

struct Answer {
  std::uint64_t number = 0;
  Reply reply{};
};

}  // namespace

struct HttpsServer::Running {
  Options options;
  Acceptor acceptor;
  Fd wake;  // an eventfd: an answer is there, or the server stops
  Take take;
  Mailbox<Answer> answers{kMostAnswers};
  std::atomic<Clock::time_point> turned{Clock::now()};
  mutable std::mutex guard{};  // of `told`, for a copy
  Health told{};
  // Used only by the thread.
  ServerCertificate certificate;
  TlsConnections connections;
  Health now_is{};
  Clock::time_point look_at{};
  std::jthread front{};  // last, because it uses the other members

  Running(const Options& of, Listener listens, Fd wakes, ServerCertificate shows, Take takes)
      : options(of),
        acceptor(std::move(listens)),
        wake(std::move(wakes)),
        take(std::move(takes)),
        certificate(std::move(shows)),
        connections(within_files(of.limits)) {
    tell();
    front = std::jthread([this](const std::stop_token& stop) noexcept { serve(stop); });
  }
  ~Running() {
    front.request_stop();
    ::eventfd_write(wake.get(), 1);
  }

  void serve(const std::stop_token& stop) {
    // OpenSSL writes to sockets that a client has closed.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (!stop.stop_requested()) {
      auto now = Clock::now();
      turned = now;
      if (options.alive) options.alive();
      // What is above the limit waits in the listen backlog.
      const int listens = connections.has_room(now) ? acceptor.polled(now) : -1;
      std::vector<pollfd> polled = {{wake.get(), POLLIN, 0}, {listens, POLLIN, 0}};
      connections.append_polls(polled);
      const auto deadline =
          acceptor.bounded(std::min(connections.next_deadline(now), look_at), now);
      static_cast<void>(
          ::poll(polled.data(), polled.size(), milliseconds_until(deadline, now, kLongestWait)));
      now = Clock::now();
      for (auto& request : connections.turn(polled.data() + 2, now)) ask(std::move(request), now);
      if (polled[0].revents != 0) take_answers(now);
      if (polled[1].revents != 0) {
        acceptor.accept(
            now, [&](Fd socket) { take_on(std::move(socket), now); },
            [&] { return connections.has_room(now); });
      }
      look_at_files(now);
      tell();
    }
  }

  void ask(HttpsRequest request, Clock::time_point now) {
    const std::uint64_t number = request.number;
    const auto reply = take(std::move(request));
    if (reply) connections.respond(number, *reply, now);
  }

  void take_answers(Clock::time_point now) {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(wake.get(), &count));
    while (auto answer = answers.try_take()) {
      connections.respond(answer->number, answer->reply, now);
    }
  }

  void look_at_files(Clock::time_point now) {
    if (now < look_at) return;
    look_at = now + options.look_every;
    if (certificate.read_again(std::chrono::system_clock::now())) ++now_is.rotations;
  }

  void take_on(Fd socket, Clock::time_point now) {
    // A response must not wait for the client's delayed acknowledgement.
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (certificate.context() != nullptr) {
      connections.add(std::move(socket), certificate.context(), now);
    }
  }

  void tell() {
    now_is.trouble = certificate.trouble(std::chrono::system_clock::now());
    now_is.expires = certificate.expires();
    now_is.is_serving =
        certificate.context() != nullptr && now_is.expires > std::chrono::system_clock::now();
    now_is.handshakes_failed = connections.counts().handshakes_failed;
    now_is.last_failure = connections.last_failure();
    now_is.late = connections.counts().late;
    now_is.unanswered = connections.counts().unanswered;
    now_is.refused = connections.counts().refused;
    const std::scoped_lock lock(guard);
    if (told != now_is) told = now_is;
  }
};

HttpsServer::HttpsServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
HttpsServer::~HttpsServer() = default;

const Address& HttpsServer::address() const { return running_->acceptor.listener().address; }

HttpsServer::Health HttpsServer::health() const {
  const std::chrono::nanoseconds silent = Clock::now() - running_->turned.load();
  const std::scoped_lock lock(running_->guard);
  Health now = running_->told;
  now.silent_for = std::chrono::floor<std::chrono::milliseconds>(silent);
  return now;
}

void HttpsServer::respond(std::uint64_t number, Reply reply) {
  // Where it is full the request is answered as a late one.
  static_cast<void>(running_->answers.try_put({.number = number, .reply = std::move(reply)}));
  ::eventfd_write(running_->wake.get(), 1);
}

Result<std::unique_ptr<HttpsServer>> HttpsServer::start(const Options& options, Take take) {
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return std::unexpected(error_of_errno(errno, "create", "an eventfd"));
  ASSIGN_OR_RETURN(ServerCertificate certificate,
                   ServerCertificate::open(options.files, std::chrono::system_clock::now()));
  ASSIGN_OR_RETURN(Listener listener, listen_on(options.listen));
  return std::unique_ptr<HttpsServer>(new HttpsServer(std::make_unique<Running>(
      options, std::move(listener), std::move(wake), std::move(certificate), std::move(take))));
}

}  // namespace elbowroom::daemon
