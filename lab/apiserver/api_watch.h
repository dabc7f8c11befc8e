// One watch on the world, as the bytes that its client reads. It returns its next bytes when called
// and never waits; its caller waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/apiserver/api_request.h"
#include "lab/apiserver/route.h"
#include "lab/apiserver/table.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

class ApiWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // 400: an invalid selector.
  [[nodiscard]] static Answer<ApiWatch> open(const ApiRequest& request, const Route& route,
                                             Clock::time_point now,
                                             std::chrono::milliseconds bookmark_interval);

  // The format of its events: lines of JSON, or frames of protobuf.
  [[nodiscard]] std::string_view media_type() const;

  struct Step {
    std::vector<WatchEvent> events{};  // sent before the text; only from next_as_trees()
    std::string text{};                // whole events; "": nothing is to be said now
    bool over = false;                 // the stream ends after the text
  };
  // Returns what to send now, at most a few hundred events. Call it again while is_behind().
  [[nodiscard]] Step next(const World& world, Clock::time_point now);
  // The same for a reader in this process, which needs no bytes for a whole event: returns changes
  // as trees when the client wants JSON and no tables. Other events are text.
  [[nodiscard]] Step next_as_trees(const World& world, Clock::time_point now);
  // The bytes of such an event.
  [[nodiscard]] static std::string line_of(const WatchEvent& event);

  // True when next() returns something regardless of the time.
  [[nodiscard]] bool is_behind(const World& world) const {
    return !opened_ || world.version() != version_;
  }
  // True when the watch has something to send beyond its position: an object of its kind changed,
  // or its request is impossible. A waiting thread is woken for nothing else.
  [[nodiscard]] bool has_news(const World& world) const {
    return !opened_ || world.last_change(*query_.kind) > version_ || version_ > world.version();
  }
  // When next() returns something even if nothing changes.
  [[nodiscard]] Clock::time_point due() const;

 private:
  explicit ApiWatch(WatchQuery query) : query_(std::move(query)) {}
  [[nodiscard]] Answer<std::string> opening_events(const World& world);
  [[nodiscard]] Answer<std::vector<WatchEvent>> changes(const World& world);
  [[nodiscard]] Answer<std::string> events(const World& world);
  void say_bookmark(Step& step, Clock::time_point now);
  [[nodiscard]] std::string event(std::string_view type, const Object& object, policy::Time now);
  [[nodiscard]] std::string bookmark(bool ends_initial) const;
  [[nodiscard]] std::string error_event(const ApiError& error) const;

  WatchQuery query_;
  TableForm form_{};
  bool columns_said_ = false;
  bool in_protobuf_ = false;
  std::string requested_version_{};
  std::uint64_t version_ = 0;
  bool opened_ = false;
  bool bookmarks_ = false;
  bool initial_events_ = false;
  std::chrono::milliseconds bookmark_interval_{0};
  Clock::time_point deadline_{};
  Clock::time_point next_bookmark_{};
};

}  // namespace elbowroom::lab
