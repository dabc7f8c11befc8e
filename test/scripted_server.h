// An API server without a network, on a clock of the test's: it answers by path, watches stay open
// until they are cut, and an unknown path is a 404.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/transport.h"

namespace elbowroom::test {

class ScriptedServer final : public api::Transport {
 public:
  void send(api::Request request, Done done) override {
    due_.emplace(now_, std::pair{0, [this, request = note(std::move(request), ""),
                                     done = std::move(done)]() mutable { done(answer(request)); }});
  }
  api::Ticket stream(api::Request request, api::StreamCallbacks callbacks) override {
    const bool watches = has(request, "watch");
    request = note(std::move(request), watches ? "watch " : "list ");
    const int number = ++last_;
    open_[number] = {watches ? request.path : "", std::move(callbacks)};
    due_.emplace(now_, std::pair{number, [this, number, watches, request = std::move(request)] {
                                   if (watches && expired.erase(request.path) > 0) {
                                     finish(number, gone());
                                   } else if (watches && answers.contains(request.path)) {
                                     open_.at(number).second.opened({.status = 200});
                                   } else {
                                     finish(number, answer(request));
                                   }
                                 }});
    return api::Ticket([this, number] { forget(number); });
  }
  api::Ticket after(api::Clock::duration delay, std::move_only_function<void()> f) override {
    const int number = ++last_;
    due_.emplace(now_ + delay, std::pair{number, std::move(f)});
    return api::Ticket([this, number] { forget(number); });
  }
  void post(std::move_only_function<void()> f) override {
    due_.emplace(now_, std::pair{0, std::move(f)});
  }
  void run_once(api::Clock::duration) override {}
  [[nodiscard]] api::Clock::time_point now() const override { return now_; }
  [[nodiscard]] policy::Time wall() const override { return {}; }

  void pass(api::Clock::duration time) {
    const api::Clock::time_point until = now_ + time;
    while (!due_.empty() && due_.begin()->first <= until) {
      auto next = due_.extract(due_.begin());
      now_ = std::max(now_, next.key());
      next.mapped().second();
    }
    now_ = until;
  }
  // Ends the open watches, as an API server that restarts does.
  void cut() {
    std::vector<int> watches;
    for (const auto& [number, stream] : open_) {
      if (!stream.first.empty()) watches.push_back(number);
    }
    for (const int number : watches) {
      auto callbacks = std::move(open_.extract(number).mapped().second);
      callbacks.done(api::Response{.status = 200});
    }
  }
  [[nodiscard]] std::vector<std::string> take_asked() { return std::exchange(asked, {}); }

  std::map<std::string, api::Response> answers{};  // by path; of a patch by "PATCH PATH"
  std::set<std::string> expired{};  // paths whose next watch is refused: they are listed again
  std::vector<std::string> asked{};
  std::vector<std::string> written{};  // "PATCH /api/v1/...", each with success; "(dry run)"

 private:
  static bool has(const api::Request& request, const std::string& parameter) {
    return std::ranges::any_of(request.query,
                               [&](const auto& each) { return each.first == parameter; });
  }
  api::Request note(api::Request request, const std::string& how) {
    if (request.method == api::Method::Get) {
      asked.push_back(how + request.path);
      return request;
    }
    const bool is_dry_run = has(request, "dryRun") || request.body.contains("dryRun");
    written.push_back(std::string(api::to_string(request.method)) + " " + request.path +
                      (is_dry_run ? " (dry run)" : ""));
    return request;
  }
  // What is created or replaced is answered with the object.
  [[nodiscard]] api::Response answer(const api::Request& request) const {
    if (request.method != api::Method::Get) {
      const bool is_patch = request.method == api::Method::Patch;
      const auto scripted = answers.find("PATCH " + request.path);
      if (is_patch && scripted != answers.end()) return scripted->second;
      return {.status = 200, .body = is_patch ? "{}" : request.body};
    }
    const auto found = answers.find(request.path);
    if (found != answers.end()) return found->second;
    return {.status = 404, .body = R"({"kind":"Status","reason":"NotFound","code":404})"};
  }
  static api::Response gone() {
    return {.status = 410, .body = R"({"kind":"Status","reason":"Expired","code":410})"};
  }
  void finish(int number, api::Response response) {
    auto callbacks = std::move(open_.extract(number).mapped().second);
    if (response.status == 200 && callbacks.opened) callbacks.opened(response);
    if (response.status == 200 && callbacks.chunk) callbacks.chunk(response.body);
    callbacks.done(std::move(response));
  }
  void forget(int number) {
    open_.erase(number);
    std::erase_if(due_, [&](const auto& entry) { return entry.second.first == number; });
  }

  api::Clock::time_point now_{std::chrono::hours(1)};
  std::multimap<api::Clock::time_point, std::pair<int, std::move_only_function<void()>>> due_;
  std::map<int, std::pair<std::string, api::StreamCallbacks>> open_{};  // a watch by its path
  int last_ = 0;
};

}  // namespace elbowroom::test
