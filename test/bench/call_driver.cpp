// What one call to an API server costs the client's thread, over libcurl and over the connection of
// our own: patches of 2.5 KB with a token of 900 bytes, 24 at a time, over TLS and HTTP/2 to a
// server in this process. Only the client's own cpu counts, so other work on the machine and the
// server's do not. Prints JSON lines for test/bench/run.
#include <time.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/curl_transport.h"
#include "test/bench/figure.h"
#include "test/unit/api/http2_server.h"

namespace {

using namespace elbowroom;
using namespace std::chrono_literals;

// Below a thousand: libcurl resets its streams, and nghttp2 takes more for an attack.
constexpr int kCalls = 900;
constexpr int kAtOnce = 24;
constexpr int kBefore = 20;  // one after the other: then every connection is open

double own_microseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e6 * static_cast<double>(used.tv_sec) + 1e-3 * static_cast<double>(used.tv_nsec);
}

class Calls {
 public:
  Calls(const api::Http2Server& server, bool is_direct)
      : transport_(access_to(server), {.calls = {0ms, 1000}, .direct = is_direct}) {}

  // Microseconds of this thread for each call.
  double measure() {
    make(kBefore, 1);
    const double before = own_microseconds();
    make(kCalls, kAtOnce);
    return (own_microseconds() - before) / kCalls;
  }

 private:
  static api::Access access_to(const api::Http2Server& server) {
    api::Access access = server.access();
    access.token = std::string(900, 't');
    return access;
  }

  void make(int count, int at_once) {
    int sent = 0;
    answered_ = 0;
    while (answered_ < count) {
      for (; sent < count && sent - answered_ < at_once; ++sent) send(sent);
      transport_.run_once(1s);
    }
  }

  void send(int number) {
    transport_.send({.method = api::Method::Patch,
                     .path = "/api/v1/namespaces/default/pods/web-" + std::to_string(number),
                     .query = {{"fieldManager", "bench"}},
                     .content_type = std::string(api::kStrategicMergePatch),
                     .body = std::string(2500, 'b')},
                    [this](const Result<api::Response>& outcome) {
                      if (!outcome) bench::give_up(outcome.error().message);
                      ++answered_;
                    });
  }

  api::CurlTransport transport_;
  int answered_ = 0;
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main() {
  const api::Authority authority("bench");
  const api::Issued identity = authority.issue("server", "IP:127.0.0.1");
  for (const bool is_direct : {false, true}) {
    const api::Http2Server server(authority, identity);
    const double cost = Calls(server, is_direct).measure();
    bench::report(is_direct ? "api/call/own_connection" : "api/call/libcurl", cost, "us");
  }
}
