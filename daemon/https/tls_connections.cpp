#include "daemon/https/tls_connections.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kBlock = std::size_t{16} << 10;  // the most that a TLS record holds
constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;
constexpr int kMostDrainedBlocks = 512;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Of one connection in one turn.
constexpr int kMostRecords = 16;
constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr int kMostHandshakes = 16;  // of all connections; each costs a signature

// A record of 16 KiB may come in a dozen packets. No client needs so many of them, or of messages
// of TLS itself, for the next byte of a request.
constexpr int kMostEmpty = 100;
// Each record costs as much as 1 KiB. Go's client sends 1,186 bytes in its smallest ones.
constexpr std::size_t kFewRecords = 64;
constexpr std::size_t kLeastPerRecord = 1024;

// Of a body that is not read to its end. An API server writes the object last, and what comes
// before it is smaller.
constexpr std::size_t kBeginning = std::size_t{16} << 10;

std::string last_error() {
  const unsigned long error = ERR_peek_last_error();
  const char* words = error == 0 ? nullptr : ERR_reason_error_string(error);
  ERR_clear_error();
  return words == nullptr ? "the client ended it" : words;
}

}  // namespace

bool TlsConnections::has_room(Clock::time_point now) const {
  return all_.size() < limits_.connections ||
         std::ranges::any_of(
             all_, [&](const Connection& each) { return gives_way_at(each) <= now; });
}

void TlsConnections::add(Fd socket, SSL_CTX* context, Clock::time_point now) {
  if (all_.size() >= limits_.connections) make_room(now);
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

TlsConnections::Clock::time_point TlsConnections::gives_way_at(const Connection& connection) const {
  switch (connection.stage) {
    case Stage::Draining:
    case Stage::Closed:
      return connection.since;
    case Stage::Idle:
      return connection.since + (connection.was_served ? limits_.kept : limits_.young);
    case Stage::Handshake:
      return connection.has_input ? Clock::time_point::max() : connection.since + limits_.young;
    case Stage::Reading: {
      // An API server sends a head as a whole.
      const bool never_asked = connection.head_bytes == 0 && !connection.was_served;
      return never_asked ? connection.since + limits_.young : Clock::time_point::max();
    }
    case Stage::Asking:
    case Stage::Writing:
      return Clock::time_point::max();
  }
  return Clock::time_point::max();
}

// The least gives way first.
int TlsConnections::rank_to_give_way(const Connection& connection) {
  if (connection.stage == Stage::Idle) return connection.was_served ? 3 : 1;
  return connection.stage == Stage::Draining ? 0 : 2;
}

void TlsConnections::make_room(Clock::time_point now) {
  auto found = all_.end();
  const auto order = [](const Connection& each) {
    return std::pair(rank_to_give_way(each), each.since);
  };
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    if (gives_way_at(*at) > now) continue;
    if (found == all_.end() || order(*at) < order(*found)) found = at;
  }
  if (found == all_.end()) return;
  close(*found);
  all_.erase(found);
}

void TlsConnections::close(Connection& connection) {
  const bool has_asked = connection.stage == Stage::Handshake || connection.stage == Stage::Reading;
  const bool never_asked = connection.stage == Stage::Idle && !connection.was_answered;
  if (has_asked || never_asked) ++counts_.unanswered;
  connection.stage = Stage::Closed;
}

void TlsConnections::append_polls(std::vector<pollfd>& polls) const {
  const bool is_taken = is_turn_taken();
  for (const Connection& each : all_) {
    const bool waits = each.stage == Stage::Asking || (is_taken && needs_turn(each));
    polls.push_back({waits ? -1 : each.socket.get(),
                     static_cast<short>(each.wants_write ? POLLOUT : POLLIN), 0});
  }
}

// Those with a session come first: new ones must not keep them waiting.
std::vector<HttpsRequest> TlsConnections::turn(const pollfd* polled, Clock::time_point now) {
  Asked asked;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].has_input = polled[i].revents != 0 && all_[i].stage == Stage::Handshake;
    if (all_[i].stage != Stage::Handshake && polled[i].revents != 0) go_on(all_[i], now, asked);
  }
  int handshakes = 0;
  for (std::size_t i = 0; i < all_.size() && handshakes < kMostHandshakes; ++i) {
    if (!all_[i].has_input) continue;
    ++handshakes;
    all_[i].has_input = false;
    go_on(all_[i], now, asked);
  }
  for (Connection& each : all_) {
    if (each.until <= now) expire(each, now, asked);
  }
  bound_what_is_held(now, asked);
  std::erase_if(all_, [](const Connection& each) { return each.stage == Stage::Closed; });
  return asked;
}

void TlsConnections::expire(Connection& connection, Clock::time_point now, Asked& asked) {
  switch (connection.stage) {
    case Stage::Asking:
      ++counts_.late;
      return start_writing(connection, refusal(503, "it was not answered in time"), now);
    case Stage::Reading:
      return give_up(connection, "its body did not come in time", now, asked);
    case Stage::Handshake:
      ++counts_.handshakes_failed;
      last_failure_ = "it took too long";
      break;
    case Stage::Idle:
    case Stage::Writing:
    case Stage::Draining:
    case Stage::Closed:
      break;
  }
  connection.stage = Stage::Closed;
}

void TlsConnections::give_up(Connection& connection, const std::string& why, Clock::time_point now,
                             Asked& asked) {
  if (connection.head_bytes == 0) return close(connection);
  ask(connection, why, now, asked);
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

// A block takes a whole record, so that poll reports whatever is left.
void TlsConnections::read(Connection& connection, Clock::time_point now, Asked& asked) {
  std::array<char, kBlock> block{};
  std::size_t taken = 0;
  for (int i = 0; i < kMostRecords && taken < kMostBytes; ++i) {
    if (needs_turn(connection) && !takes_turn(connection)) return;
    ERR_clear_error();
    const int got = SSL_read(connection.ssl.get(), block.data(), static_cast<int>(block.size()));
    if (got <= 0) {
      if (!waits(connection, got)) {
        connection.stage = Stage::Closed;
      } else if (taken == 0 && ++connection.empty > kMostEmpty) {
        close(connection);
      }
      return;
    }
    if (connection.stage == Stage::Idle) enter(connection, Stage::Reading, now);
    taken += static_cast<std::size_t>(got);
    connection.empty = 0;
    connection.bytes.append(block.data(), static_cast<std::size_t>(got));
    const bool is_costly = ++connection.records > kFewRecords &&
                           connection.bytes.size() < connection.records * kLeastPerRecord;
    if (is_costly) return close(connection);
    if (take_request(connection, now, asked)) return;
  }
}

bool TlsConnections::needs_turn(const Connection& connection) const {
  const std::size_t body = connection.head_bytes == 0 ? 0 : connection.head.body;
  return connection.stage == Stage::Reading && !connection.holds_turn && body > limits_.small &&
         body <= limits_.body && connection.bytes.size() >= connection.head_bytes + kBeginning;
}

bool TlsConnections::is_turn_taken() const {
  return std::ranges::any_of(
      all_, [](const Connection& each) { return each.holds_turn && each.stage != Stage::Closed; });
}

bool TlsConnections::takes_turn(Connection& connection) {
  if (is_turn_taken()) return false;
  connection.holds_turn = true;
  connection.bytes.reserve(connection.head_bytes + connection.head.body);
  return true;
}

bool TlsConnections::take_head(Connection& connection) {
  const std::size_t end = connection.bytes.find("\r\n\r\n");
  if (end == std::string::npos && connection.bytes.size() < kMostHeadBytes) return false;
  if (end == std::string::npos || end + 4 > kMostHeadBytes) {
    connection.head = {.closes = true, .refused = 431, .why = "its head is too long"};
    return true;
  }
  connection.head_bytes = end + 4;
  // Of a body that is too large the beginning is read, to answer it.
  connection.head = parse_head(std::string_view(connection.bytes).substr(0, end + 4),
                               std::numeric_limits<std::size_t>::max() / 2);
  return true;
}

bool TlsConnections::take_request(Connection& connection, Clock::time_point now, Asked& asked) {
  if (connection.head_bytes == 0) {
    if (!take_head(connection)) return false;
    if (connection.head.refused != 0) {
      start_writing(connection, refusal(connection.head.refused, connection.head.why), now);
      return true;
    }
    // It fits into any socket's buffer.
    if (connection.head.expects && connection.bytes.size() == connection.head_bytes) {
      SSL_write(connection.ssl.get(), kContinue.data(), static_cast<int>(kContinue.size()));
    }
  }
  const std::size_t there = connection.bytes.size() - connection.head_bytes;
  if (connection.head.body > limits_.body && there >= std::min(kBeginning, connection.head.body)) {
    ask(connection, "its body is larger than " + std::to_string(limits_.body) + " bytes", now,
        asked);
    return true;
  }
  if (there < connection.head.body) return false;
  ask(connection, "", now, asked);
  return true;
}

// With `cut`, the connection ends after the response: where the next request begins is not known.
void TlsConnections::ask(Connection& connection, std::string cut, Clock::time_point now,
                         Asked& asked) {
  connection.number = ++last_number_;
  std::string body = std::exchange(connection.bytes, {});
  const std::size_t end = connection.head_bytes + connection.head.body;
  if (cut.empty()) {
    connection.bytes = body.substr(end);
    body.resize(end);
  } else {
    body.resize(std::min(body.size(), connection.head_bytes + kBeginning));
    body.shrink_to_fit();
    connection.head.closes = true;
    connection.holds_turn = false;
  }
  body.erase(0, connection.head_bytes);
  asked.push_back({.number = connection.number,
                   .method = connection.head.method,
                   .path = connection.head.path,
                   .body = std::move(body),
                   .cut = std::move(cut)});
  connection.head_bytes = 0;
  connection.records = 0;
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
  if (reply.status >= 400 && reply.status < 500) ++counts_.refused;
  connection.response = http_response(reply, connection.head.closes);
  connection.status = reply.status;
  connection.written = 0;
  connection.holds_turn = false;
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
  connection.was_answered = true;
  connection.was_served = connection.was_served || connection.status == 200;
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

// Requests are cut first: they are answered all the same.
void TlsConnections::bound_what_is_held(Clock::time_point now, Asked& asked) {
  const auto held_by = [](const Connection& each) {
    const bool counts = each.stage != Stage::Closed && !each.holds_turn;
    return counts ? each.bytes.size() + each.response.size() : 0;
  };
  std::size_t held = 0;
  for (const Connection& each : all_) held += held_by(each);
  for (const Stage stage : {Stage::Reading, Stage::Writing}) {
    while (held > limits_.held) {
      Connection* oldest = nullptr;
      for (Connection& each : all_) {
        if (each.stage != stage || each.holds_turn) continue;
        if (oldest == nullptr || each.since < oldest->since) oldest = &each;
      }
      if (oldest == nullptr) break;
      held -= held_by(*oldest);
      if (stage == Stage::Reading) {
        give_up(*oldest, "too much is read at once", now, asked);
      } else {
        close(*oldest);
      }
    }
  }
}

TlsConnections::Clock::time_point TlsConnections::next_deadline(Clock::time_point now) const {
  auto next = Clock::time_point::max();
  for (const Connection& each : all_) next = std::min(next, each.until);
  if (has_room(now)) return next;
  for (const Connection& each : all_) next = std::min(next, gives_way_at(each));
  return next;
}

}  // namespace elbowroom::daemon
