// What a daemon answers over HTTP, without the HTTP. The callbacks are called by the server's
// threads, several at once, so they read what is safe to read from any thread; `live` waits for
// nobody, as whoever asks for anything waits for it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::daemon {

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
};

// One line of /livez or /readyz.
struct Check {
  std::string name{};
  bool passed = false;
  std::string detail{};  // why it failed and what to do, or what there is to say
};

// A missing callback is answered 404; `live` and `ready` without one have nothing that could fail.
struct Endpoints {
  std::function<std::vector<Check>()> live{};  // loops progress; nothing outside this program
  std::function<std::vector<Check>()>
      ready{};  // state loaded, API and runtime answer, disk writable
  std::function<Reply()> metrics{};
  std::function<Reply()> configz{};
  // NAMESPACE and NAME, well-formed.
  std::function<Reply(const std::string& ns, const std::string& name)> explain{};
};

struct Request {
  std::string method{};
  std::string path{};
  std::map<std::string, std::string> parameters{};  // decoded; of equal names the first
};

// GET and HEAD of /livez, /readyz (both ?verbose), /metrics, /configz, /explain?pod=NAMESPACE/NAME.
// Else 400, 404 or 405 with one line that says what is wrong. A failed check makes 503 and is
// always told.
[[nodiscard]] Reply answer(const Endpoints& endpoints, const Request& request);

}  // namespace elbowroom::daemon
