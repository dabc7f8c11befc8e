// Any bytes sent to a daemon's HTTP server: it answers in HTTP or closes the connection, in time,
// and never returns the input as markup or control characters.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/fd.h"
#include "daemon/http/http_server.h"

namespace {

using namespace elbowroom;

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "http_fuzz: %s: %s\n", what, std::strerror(errno));
  std::abort();
}

daemon::HttpServer& server() {
  static const std::unique_ptr<daemon::HttpServer> running = [] {
    daemon::Endpoints of;
    of.ready = [] { return std::vector<daemon::Check>{{"api", false, "refused"}}; };
    of.metrics = [] { return daemon::Reply{.body = "elbowroom_pods 1\n"}; };
    of.explain = [](const std::string& ns, const std::string& name) {
      return daemon::Reply{.body = ns + "/" + name + "\n"};
    };
    auto started = daemon::HttpServer::start({.host = "127.0.0.1", .port = 0}, std::move(of));
    if (!started) broken("the server does not start");
    return *std::move(started);
  }();
  return *running;
}

std::string exchange(const std::string& sent) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Thousands of connections a second would use up the ports, each for a minute after its end.
  const linger none{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(server().address().port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0)
    broken("the server cannot be reached");
  std::size_t done = 0;
  while (done < sent.size()) {
    const ssize_t got = ::send(socket.get(), sent.data() + done, sent.size() - done, MSG_NOSIGNAL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // the server has read enough
    done += static_cast<std::size_t>(got);
  }
  ::shutdown(socket.get(), SHUT_WR);
  std::string reply;
  std::array<char, 4096> block{};
  for (;;) {
    pollfd ready{socket.get(), POLLIN, 0};
    // An input that has ended needs no wait.
    const int seen = ::poll(&ready, 1, 8000);
    if (seen < 0 && errno == EINTR) continue;  // the fuzzer's own timer
    if (seen <= 0) broken("no answer within 8 s");
    const ssize_t got = ::recv(socket.get(), block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return reply;
    reply.append(block.data(), static_cast<std::size_t>(got));
    if (reply.size() > (1U << 20)) broken("an answer of more than 1 MiB");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string reply = exchange(std::string(reinterpret_cast<const char*>(bytes), size));
  if (reply.empty()) return 0;
  if (!reply.starts_with("HTTP/1.1 ")) broken("an answer that is not HTTP");
  if (reply.find("text/html") != std::string::npos) broken("an answer in HTML");
  for (const char c : reply) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\r' && c != '\n' && c != '\t') || byte >= 0x7f) {
      broken("an answer with control characters");
    }
  }
  return 0;
}
