#include "daemon/https/tls_connections.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kBlock = std::size_t{16} << 10;  // a TLS record
constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;
constexpr int kMostDrainedBlocks = 512;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string last_error() {
  const unsigned long error = ERR_peek_last_error();
  const char* words = error == 0 ? nullptr : ERR_reason_error_string(error);
  ERR_clear_error();
  return words == nullptr ? "the client ended it" : words;
}

}  // namespace

void TlsConnections::add(Fd socket, SSL_CTX* context, Clock::time_point now) {
  if (all_.size() >= limits_.connections && !close_oldest(Stage::Idle, nullptr) &&
      !close_oldest(Stage::Draining, nullptr) && !close_oldest(Stage::Handshake, nullptr) &&
      !close_oldest(Stage::Reading, nullptr) && !close_oldest(Stage::Writing, nullptr)) {
    return;
  }
  Connection made{.socket = std::move(socket)};
  made.ssl.reset(SSL_new(context));
  if (!made.ssl || SSL_set_fd(made.ssl.get(), made.socket.get()) != 1) return ERR_clear_error();
  SSL_set_accept_state(made.ssl.get());
  enter(made, Stage::Handshake, now);
  all_.push_back(std::move(made));
}

std::chrono::milliseconds TlsConnections::time_of(Stage stage) const {
  switch (stage) {
    case Stage::Handshake:
      return limits_.handshake;
    case Stage::Idle:
      return limits_.idle;
    case Stage::Reading:
      return limits_.request;
    case Stage::Asking:
      return limits_.answer;
    case Stage::Draining:
      return limits_.drain;
    case Stage::Writing:
    case Stage::Closed:
      return limits_.response;
  }
  return limits_.response;
}

void TlsConnections::enter(Connection& connection, Stage stage, Clock::time_point now) {
  connection.stage = stage;
  connection.since = now;
  connection.until = now + time_of(stage);
  connection.wants_write = false;
}

bool TlsConnections::close_oldest(Stage stage, const Connection* except) {
  auto oldest = all_.end();
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    if (at->stage != stage || &*at == except) continue;
    if (oldest == all_.end() || at->since < oldest->since) oldest = at;
  }
  if (oldest == all_.end()) return false;
  oldest->stage = Stage::Closed;
  if (except == nullptr) all_.erase(oldest);
  return true;
}

void TlsConnections::append_polls(std::vector<pollfd>& polls) const {
  for (const Connection& each : all_) {
    const int fd = each.stage == Stage::Asking ? -1 : each.socket.get();
    polls.push_back({fd, static_cast<short>(each.wants_write ? POLLOUT : POLLIN), 0});
  }
}

std::vector<HttpsRequest> TlsConnections::turn(const pollfd* polled, Clock::time_point now) {
  Asked asked;
  for (Connection& each : all_) {
    const bool is_ready = polled++->revents != 0;
    if (is_ready) go_on(each, now, asked);
    if (each.until <= now) expire(each, now);
  }
  std::erase_if(all_, [](const Connection& each) { return each.stage == Stage::Closed; });
  return asked;
}

void TlsConnections::expire(Connection& connection, Clock::time_point now) {
  if (connection.stage == Stage::Asking) {
    ++counts_.late;
    return start_writing(connection, refusal(503, "it was not answered in time"), now);
  }
  if (connection.stage == Stage::Handshake) {
    ++counts_.handshakes_failed;
    last_failure_ = "it took too long";
  }
  connection.stage = Stage::Closed;
}

void TlsConnections::go_on(Connection& connection, Clock::time_point now, Asked& asked) {
  switch (connection.stage) {
    case Stage::Handshake:
      return shake(connection, now, asked);
    case Stage::Idle:
    case Stage::Reading:
      return read(connection, now, asked);
    case Stage::Writing:
      write(connection, now);
      // What came with the request before is a request already.
      if (connection.stage == Stage::Idle && !connection.bytes.empty()) {
        enter(connection, Stage::Reading, now);
        take_request(connection, now, asked);
      }
      return;
    case Stage::Draining:
      return drain(connection);
    case Stage::Asking:
    case Stage::Closed:
      return;
  }
}

bool TlsConnections::waits(Connection& connection, int result) {
  const int error = SSL_get_error(connection.ssl.get(), result);
  connection.wants_write = error == SSL_ERROR_WANT_WRITE;
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

void TlsConnections::shake(Connection& connection, Clock::time_point now, Asked& asked) {
  ERR_clear_error();
  const int result = SSL_do_handshake(connection.ssl.get());
  if (result == 1) {
    enter(connection, Stage::Idle, now);
    return read(connection, now, asked);
  }
  if (waits(connection, result)) return;
  ++counts_.handshakes_failed;
  last_failure_ = last_error();
  connection.stage = Stage::Closed;
}

void TlsConnections::read(Connection& connection, Clock::time_point now, Asked& asked) {
  std::array<char, kBlock> block{};
  for (;;) {
    ERR_clear_error();
    const int got = SSL_read(connection.ssl.get(), block.data(), static_cast<int>(block.size()));
    if (got <= 0) {
      if (!waits(connection, got)) connection.stage = Stage::Closed;
      return;
    }
    if (connection.stage == Stage::Idle) enter(connection, Stage::Reading, now);
    connection.bytes.append(block.data(), static_cast<std::size_t>(got));
    bound_what_is_held(connection);
    if (take_request(connection, now, asked)) return;
  }
}

bool TlsConnections::take_request(Connection& connection, Clock::time_point now, Asked& asked) {
  if (connection.head_bytes == 0) {
    const std::size_t end = connection.bytes.find("\r\n\r\n");
    if (end == std::string::npos && connection.bytes.size() < kMostHeadBytes) return false;
    if (end == std::string::npos || end + 4 > kMostHeadBytes) {
      connection.head = {.closes = true, .refused = 431, .why = "its head is too long"};
    } else {
      connection.head_bytes = end + 4;
      connection.head =
          parse_head(std::string_view(connection.bytes).substr(0, end + 4), limits_.body);
    }
    if (connection.head.refused != 0) {
      start_writing(connection, refusal(connection.head.refused, connection.head.why), now);
      return true;
    }
    // It fits into any socket's buffer.
    if (connection.head.expects && connection.bytes.size() == connection.head_bytes) {
      SSL_write(connection.ssl.get(), kContinue.data(), static_cast<int>(kContinue.size()));
    }
  }
  if (connection.bytes.size() < connection.head_bytes + connection.head.body) return false;
  ask(connection, now, asked);
  return true;
}

void TlsConnections::ask(Connection& connection, Clock::time_point now, Asked& asked) {
  connection.number = ++last_number_;
  asked.push_back({.number = connection.number,
                   .method = connection.head.method,
                   .path = connection.head.path,
                   .body = connection.bytes.substr(connection.head_bytes, connection.head.body)});
  connection.bytes.erase(0, connection.head_bytes + connection.head.body);
  connection.bytes.shrink_to_fit();
  connection.head_bytes = 0;
  enter(connection, Stage::Asking, now);
}

void TlsConnections::respond(std::uint64_t number, const Reply& reply, Clock::time_point now) {
  const auto at = std::ranges::find_if(all_, [&](const Connection& each) {
    return each.stage == Stage::Asking && each.number == number;
  });
  if (at != all_.end()) start_writing(*at, reply, now);
}

void TlsConnections::start_writing(Connection& connection, const Reply& reply,
                                   Clock::time_point now) {
  connection.response = http_response(reply, connection.head.closes);
  connection.written = 0;
  enter(connection, Stage::Writing, now);
  connection.wants_write = true;  // poll says so at once, and turn() goes on
}

void TlsConnections::write(Connection& connection, Clock::time_point now) {
  while (connection.written < connection.response.size()) {
    ERR_clear_error();
    const int sent =
        SSL_write(connection.ssl.get(), connection.response.data() + connection.written,
                  static_cast<int>(connection.response.size() - connection.written));
    if (sent <= 0) {
      if (!waits(connection, sent)) connection.stage = Stage::Closed;
      return;
    }
    connection.written += static_cast<std::size_t>(sent);
  }
  connection.response = {};
  if (!connection.head.closes) return enter(connection, Stage::Idle, now);
  SSL_shutdown(connection.ssl.get());
  ERR_clear_error();
  connection.bytes = {};
  enter(connection, Stage::Draining, now);
}

void TlsConnections::drain(Connection& connection) {
  std::array<char, kBlock> dropped{};
  const ssize_t got = ::recv(connection.socket.get(), dropped.data(), dropped.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0 || ++connection.drained == kMostDrainedBlocks) connection.stage = Stage::Closed;
}

void TlsConnections::bound_what_is_held(const Connection& latest) {
  const auto held = [this] {
    std::size_t bytes = 0;
    for (const Connection& each : all_) {
      if (each.stage != Stage::Closed) bytes += each.bytes.size();
    }
    return bytes;
  };
  while (held() > limits_.held && close_oldest(Stage::Reading, &latest)) {
  }
}

TlsConnections::Clock::time_point TlsConnections::next_deadline() const {
  auto next = Clock::time_point::max();
  for (const Connection& each : all_) next = std::min(next, each.until);
  return next;
}

}  // namespace elbowroom::daemon
