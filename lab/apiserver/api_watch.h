// One watch on the world, as the bytes that its client reads. It is asked for its next bytes and
// never waits; whoever serves it waits.
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

  // 400: a selector that makes no sense.
  [[nodiscard]] static Answer<ApiWatch> open(const ApiRequest& request, const Route& route,
                                             Clock::time_point now,
                                             std::chrono::milliseconds bookmark_interval);

  // How its events come: in lines of JSON, or in frames of protobuf.
  [[nodiscard]] std::string_view media_type() const;

  struct Step {
    std::vector<WatchEvent> events{};  // before the text; only where they were asked for so
    std::string text{};                // whole events; "": nothing is to be said now
    bool over = false;                 // after the text the stream ends
  };
  // What is to be said now. At most a few hundred events at a time: ask again while is_behind().
  [[nodiscard]] Step next(const World& world, Clock::time_point now);
  // The same for a reader in this process, who needs no bytes of an event that is whole: of what
  // has changed, for one who wants JSON and no tables. Other events are text.
  [[nodiscard]] Step next_as_trees(const World& world, Clock::time_point now);
  // Such an event as the bytes it would have been.
  [[nodiscard]] static std::string line_of(const WatchEvent& event);

  // True where next() has something to say whatever the clock says.
  [[nodiscard]] bool is_behind(const World& world) const {
    return !opened_ || world.version() != version_;
  }
  // True where that is more than how far it has come: something of its kind changed, or what it
  // asked for cannot be. Whoever waits for it is woken for nothing else.
  [[nodiscard]] bool has_news(const World& world) const {
    return !opened_ || world.last_change(*query_.kind) > version_ || version_ > world.version();
  }
  // By when next() has something to say though nothing changes.
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
  std::string asked_version_{};
  std::uint64_t version_ = 0;
  bool opened_ = false;
  bool bookmarks_ = false;
  bool initial_events_ = false;
  std::chrono::milliseconds bookmark_interval_{0};
  Clock::time_point deadline_{};
  Clock::time_point next_bookmark_{};
};

}  // namespace elbowroom::lab
