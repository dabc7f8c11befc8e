// The HTTP endpoints of a daemon, independent of the transport. Several server threads call the
// callbacks concurrently, so a callback reads only what is safe to read from any thread. `live`
// must not block: while it runs, no other request is answered.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace elbowroom::daemon {

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  // beside those of every reply
};

// One line of text that says why.
[[nodiscard]] Reply refusal(int status, std::string_view why);

// One line of /livez or /readyz.
struct Check {
  std::string name{};
  bool passed = false;
  std::string detail{};  // why it failed and what to do, or a remark
};

struct Request {
  std::string method{};
  std::string path{};
  std::map<std::string, std::string> parameters{};  // decoded; the first of duplicates
  // It came over loopback, and asks for a host of this machine (daemon/http/host_header.h).
  bool is_local = false;
};

// A missing callback is answered with 404. `live` and `ready` without a callback always succeed.
struct Endpoints {
  std::function<std::vector<Check>()>
      live{};  // loops make progress; ignores everything outside this program
  std::function<std::vector<Check>()>
      ready{};  // state loaded, API server and runtime reachable, disk writable
  std::function<Reply()> metrics{};
  std::function<Reply()> configz{};
  // Of a pod, and of a pod group. NAMESPACE and NAME are well-formed.
  std::function<Reply(const std::string& ns, const std::string& name)> explain{};
  std::function<Reply(const std::string& ns, const std::string& name)> explain_group{};
  std::function<Reply(const std::string& ns, const std::string& name)> explain_budget{};
  // The page and what lies below it, and what it shows as JSON; for local requests alone.
  std::function<Reply(const Request& request)> ui{};
  std::function<Reply()> overview{};
};

// Answers GET and HEAD of /livez, /readyz (both ?verbose), /metrics, /configz, /overview, /ui and
// /explain?pod=NAMESPACE/NAME, ?group=NAMESPACE/NAME or ?budget=NAMESPACE/NAME. Otherwise returns
// 400, 403, 404 or 405 with one line that says what is wrong. A failed check results in 503 and is
// always listed.
[[nodiscard]] Reply answer(const Endpoints& endpoints, const Request& request);

}  // namespace elbowroom::daemon
