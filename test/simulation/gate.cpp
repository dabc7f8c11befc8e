#include "test/simulation/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace elbowroom::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<in_port_t>(port));
  return address;
}

sockaddr_un unix_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace

template <class Known>
Gate::Address Gate::as_bytes(const Known& address) {
  Address of{.size = sizeof address};
  std::memcpy(&of.bytes, &address, sizeof address);
  return of;
}

std::unique_ptr<Gate> Gate::before_port(int server_port) {
  std::unique_ptr<Gate> gate(new Gate(as_bytes(loopback(server_port)), as_bytes(loopback(0))));
  gate->choose_port();
  return gate;
}

void Gate::choose_port() {
  bind_own();
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.sin_port);
  own_ = as_bytes(bound);  // the same port from now on
}

std::unique_ptr<Gate> Gate::before_socket(const std::string& server, const std::string& path) {
  std::unique_ptr<Gate> gate(new Gate(as_bytes(unix_socket(server)), as_bytes(unix_socket(path))));
  gate->path_ = path;
  return gate;
}

std::unique_ptr<Gate> Gate::before_socket(const std::string& server) {
  std::unique_ptr<Gate> gate(new Gate(as_bytes(unix_socket(server)), as_bytes(loopback(0))));
  gate->choose_port();
  return gate;
}

Gate::Gate(Address server, Address own)
    : server_(server), own_(own), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Gate::~Gate() { refuse(); }

// Bound and not listening: connections are refused, and the port stays ours.
void Gate::bind_own() {
  listener_ = Fd(::socket(own_.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  (void)::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own_.bytes), own_.size);
}

void Gate::open() { be(Mode::Open); }
void Gate::silence() { be(Mode::Silent); }
void Gate::trickle() { be(Mode::Trickling); }
void Gate::refuse() { be(Mode::Refusing); }

void Gate::garble(std::string what, std::string with) {
  refuse();
  garbled_ = std::move(what);
  garble_with_ = std::move(with);
  open();
}

void Gate::be(Mode mode) {
  if (thread_.joinable()) {
    ::eventfd_write(wake_.get(), 1);
    thread_.join();
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
  }
  if (mode == Mode::Refusing) {
    mode_ = mode;
    pairs_.clear();
    listener_ = Fd();
    if (path_.empty()) {
      bind_own();
    } else {
      ::unlink(path_.c_str());
    }
  } else {
    if (mode_ == Mode::Refusing) {
      if (!path_.empty()) bind_own();
      ::listen(listener_.get(), 64);
    }
    mode_ = mode;
    thread_ = std::thread([this]() noexcept { run(); });  // reads the mode
  }
}

void Gate::accept_one() {
  Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (client.is_open()) pairs_.push_back({std::move(client), Fd()});
}

// False when one of the two has closed.
bool Gate::pass(const Fd& from, const Fd& to, bool is_server) const {
  std::array<char, 65536> bytes{};
  const std::size_t most = is_server && mode_ == Mode::Trickling ? 1 : bytes.size();
  const ssize_t got = ::recv(from.get(), bytes.data(), most, 0);
  if (is_server && !garbled_.empty() && got > 0) {
    const auto end = bytes.begin() + got;
    for (auto at = std::search(bytes.begin(), end, garbled_.begin(), garbled_.end()); at != end;
         at = std::search(at, end, garbled_.begin(), garbled_.end())) {
      at = std::ranges::copy(garble_with_, at).out;
    }
  }
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t more =
        ::send(to.get(), bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return got > 0;
}

void Gate::run() {
  const bool forwards = mode_ != Mode::Silent;
  for (;;) {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    if (forwards) {
      for (Pair& pair : pairs_) {
        if (!pair.server.is_open()) {
          pair.server = Fd(::socket(server_.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
          (void)::connect(pair.server.get(), reinterpret_cast<const sockaddr*>(&server_.bytes),
                          server_.size);
        }
        polled.push_back({pair.client.get(), POLLIN, 0});
        polled.push_back({pair.server.get(), POLLIN, 0});
      }
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) return;
    for (std::size_t i = 2; i + 1 < polled.size(); i += 2) {
      Pair& pair = pairs_[(i - 2) / 2];
      const bool whole = (polled[i].revents == 0 || pass(pair.client, pair.server, false)) &&
                         (polled[i + 1].revents == 0 || pass(pair.server, pair.client, true));
      if (!whole) pair = {};
    }
    std::erase_if(pairs_, [](const Pair& pair) { return !pair.client.is_open(); });
    if (polled[1].revents != 0) accept_one();
  }
}

}  // namespace elbowroom::test
