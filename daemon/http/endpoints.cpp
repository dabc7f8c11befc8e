#include "daemon/http/endpoints.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMaxNameBytes = 253;

std::string line_of(const Check& check) {
  std::string line = (check.passed ? "[+]" : "[-]") + sanitize_line(check.name);
  line += check.passed ? " ok" : " failed";
  if (!check.detail.empty()) line += ": " + sanitize_line(check.detail);
  return line + "\n";
}

Reply health(std::string_view name, const std::function<std::vector<Check>()>& checks,
             bool verbose) {
  const std::vector<Check> all = checks ? checks() : std::vector<Check>{};
  const bool passed = std::ranges::all_of(all, &Check::passed);
  if (passed && !verbose) return {.body = "ok\n"};
  Reply reply{.status = passed ? 200 : 503};
  for (const Check& check : all) reply.body += line_of(check);
  reply.body += std::string(name) + (passed ? " check passed\n" : " check failed\n");
  return reply;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kMaxNameBytes && std::ranges::all_of(text, fits);
}

struct ObjectName {
  std::string ns{};
  std::string name{};
};

std::optional<ObjectName> object_name_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view ns = text.substr(0, slash);
  const std::string_view name = text.substr(slash + 1);
  if (!is_name(ns) || !is_name(name)) return std::nullopt;
  return ObjectName{std::string(ns), std::string(name)};
}

// What may be explained: the parameter of the question, and its name in words.
struct Explained {
  std::string_view key{};
  std::string_view what{};
  const std::function<Reply(const std::string& ns, const std::string& name)>& explain;
};

Reply explanation(const Endpoints& endpoints, const Request& request) {
  const std::array kinds = {Explained{"pod", "pod", endpoints.explain},
                            Explained{"group", "pod group", endpoints.explain_group},
                            Explained{"budget", "disruption budget", endpoints.explain_budget}};
  const Explained* asked = nullptr;
  for (const Explained& each : kinds) {
    if (!each.explain || !request.parameters.contains(std::string(each.key))) continue;
    if (asked != nullptr) {
      return refusal(400, "a " + std::string(asked->key) + " and a " + std::string(each.key) +
                              ": ask for one of the two");
    }
    asked = &each;
  }
  if (asked == nullptr) asked = kinds.data();
  const std::string key(asked->key);
  const auto at = request.parameters.find(key);
  const auto name = at == request.parameters.end() ? std::nullopt : object_name_from(at->second);
  if (!name) {
    return refusal(400, "no " + std::string(asked->what) + " to explain: ask for /explain?" + key +
                            "=NAMESPACE/NAME");
  }
  return asked->explain(name->ns, name->name);
}

bool is_of_ui(std::string_view path) { return path == "/ui" || path.starts_with("/ui/"); }

// What shows a cluster whole is not for the network, wherever the daemon listens.
Reply for_people(const Endpoints& endpoints, const Request& request) {
  if (!request.is_local) {
    return refusal(403,
                   "/ui and /overview are answered on loopback alone: ask on that machine, or by "
                   "kubectl port-forward");
  }
  return is_of_ui(request.path) ? endpoints.ui(request) : endpoints.overview();
}

}  // namespace

Reply refusal(int status, std::string_view why) {
  return {.status = status, .body = std::string(why) + "\n"};
}

Reply answer(const Endpoints& endpoints, const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return refusal(405, "only GET and HEAD are answered here");
  }
  const bool verbose = request.parameters.contains("verbose");
  if (request.path == "/livez") return health("livez", endpoints.live, verbose);
  if (request.path == "/readyz") return health("readyz", endpoints.ready, verbose);
  if (request.path == "/metrics" && endpoints.metrics) return endpoints.metrics();
  if (request.path == "/configz" && endpoints.configz) return endpoints.configz();
  if (request.path == "/explain" && endpoints.explain) return explanation(endpoints, request);
  if ((is_of_ui(request.path) && endpoints.ui) ||
      (request.path == "/overview" && endpoints.overview)) {
    return for_people(endpoints, request);
  }
  return refusal(404,
                 "not found: there are /ui, /overview, /livez, /readyz, /metrics, /configz and "
                 "/explain");
}

}  // namespace elbowroom::daemon
