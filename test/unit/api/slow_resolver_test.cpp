// A name server that does not answer must not delay the stop. This program's getaddrinfo replaces
// libc's: names that end in .slow are resolved until the test ends them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "api/transport/curl_transport.h"

namespace {

std::atomic<int> asked = 0;
std::atomic<bool> may_answer = false;

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  if (name != nullptr && std::string_view(name).ends_with(".slow")) {
    ++asked;
    asked.notify_all();
    may_answer.wait(false);
    return EAI_AGAIN;
  }
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, found);
}

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;

TEST(SlowResolver, DoesNotHoldUpTheStop) {
  Access access;
  access.server = {"http", "api.slow", 80, ""};
  auto transport = std::make_unique<CurlTransport>(access, TransportOptions{});
  transport->send({.path = "/x"}, [](const Result<Response>&) {});
  while (asked == 0) transport->run_once(20ms);
  transport.reset();  // the resolver does not answer before it returns
  may_answer = true;
  may_answer.notify_all();
}

}  // namespace
}  // namespace elbowroom::api
