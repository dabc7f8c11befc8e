#include "test/simulation/removal_rate.h"

#include <string_view>

namespace elbowroom::test {
namespace {

// The agent counts a set when it decides on it, which is up to a minute before.
constexpr std::chrono::minutes kWindow{9};
constexpr std::size_t kMostPods = 10;

std::string uid_in(const std::string& body) {
  constexpr std::string_view kKey = R"("uid":")";
  const std::size_t at = body.find(kKey);
  if (at == std::string::npos) return body;
  const std::size_t from = at + kKey.size();
  return body.substr(from, body.find('"', from) - from);
}

}  // namespace

std::string RemovalRate::asked(const api::Request& request, std::chrono::milliseconds at) {
  const bool is_dry_run = request.body.find("dryRun") != std::string::npos;
  if (request.method != api::Method::Delete || is_dry_run) return "";
  std::erase_if(first_asked_, [&](const auto& each) { return at - each.second >= kWindow; });
  first_asked_.try_emplace(uid_in(request.body), at);  // a repeated request removes nothing more
  if (first_asked_.size() <= kMostPods) return "";
  return "removes too many pods: " + std::to_string(first_asked_.size()) + " in ten minutes";
}

}  // namespace elbowroom::test
