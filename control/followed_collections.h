// The collections of a daemon, followed: each object that changes becomes an observation of its
// kind. An object that cannot be understood becomes one too, before the list that it is in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/watch/watcher.h"
#include "base/match.h"
#include "base/result.h"
#include "control/api_round.h"
#include "control/collection.h"
#include "control/observation.h"

namespace elbowroom::control {

// How a collection is followed.
template <class T>
struct Following {
  const CollectionRow& row;
  api::WatchTarget target;  // target_of(row), and what the daemon adds
  std::function<Result<T>(const Value&)> decode;
  api::WatchBounds<T> bounds{};
  std::function<void(const T&)>
      noticed{};  // one that changed, or the first of a list; called after the observation
};

// Line is an ApiLine; Collection is the daemon's enumeration.
template <class Line, class Collection>
class FollowedCollections {
 public:
  // `line` must outlive it; each collection gets a seed of its own.
  FollowedCollections(Line& line, std::uint64_t seed) : line_(line), seed_(seed) {}

  [[nodiscard]] std::uint64_t next_seed() { return seed_++; }

  // In the table's order.
  template <class T>
  void add(Collection of, Following<T> how) {
    all_.push_back(std::make_unique<Follower<T>>(line_, of, std::move(how), next_seed()));
  }

  void start() {
    for (const auto& each : all_) each->start();
  }

  [[nodiscard]] std::vector<CollectionRound> rounds() const {
    std::vector<CollectionRound> rounds;
    for (const auto& each : all_) rounds.push_back(each->round());
    return rounds;
  }

 private:
  class AnyFollower {
   public:
    AnyFollower() = default;
    AnyFollower(const AnyFollower&) = delete;
    AnyFollower& operator=(const AnyFollower&) = delete;
    virtual ~AnyFollower() = default;
    virtual void start() = 0;
    [[nodiscard]] virtual CollectionRound round() const = 0;
  };

  template <class T>
  class Follower final : public AnyFollower {
   public:
    Follower(Line& line, Collection of, Following<T> how, std::uint64_t seed)
        : line_(line),
          of_(of),
          row_(how.row),
          noticed_(std::move(how.noticed)),
          watcher_(
              line.transport(), std::move(how.target), with_seed(seed), std::move(how.decode),
              [this](api::WatchReport<T> news) { take(news); }, std::move(how.bounds)) {}

    void start() override { watcher_.start(); }
    [[nodiscard]] CollectionRound round() const override { return {&row_, watcher_.freshness()}; }

   private:
    static api::ListWatchOptions with_seed(std::uint64_t seed) {
      api::ListWatchOptions watch;
      watch.seed = seed;
      return watch;
    }

    [[nodiscard]] Unreadable unreadable(const api::Malformed& odd) const {
      return {.kind = std::string(row_.kind),
              .key = api::to_string(odd.ref),
              .why = odd.error.message,
              .uid = odd.ref.uid,
              .node = odd.node};
    }

    void take(api::WatchReport<T>& news) {
      std::visit([this](auto& each) { this->on(each); }, news);
    }
    void on(api::Replaced<T>& list) {
      is_served_ = true;
      if (noticed_ && !list.objects.empty()) noticed_(list.objects.front());
      std::vector<api::ObjectRef> odd;
      for (const api::Malformed& each : list.malformed) {
        odd.push_back(each.ref);
        line_.tell(unreadable(each));
      }
      line_.tell(listed_as<T>(std::move(list.objects), odd));
    }
    void on(api::Upserted<T>& one) {
      if (noticed_) noticed_(one.object);
      line_.tell(Seen<T>{std::move(one.object)});
    }
    void on(api::Removed& gone) { line_.tell(gone_as<T>(gone.ref)); }
    void on(api::Malformed& odd) {
      if (row_.is_gone_when_odd) line_.tell(gone_as<T>(odd.ref));
      line_.tell(unreadable(odd));
    }
    // Where the kind is not installed there are no objects; the watcher continues to ask.
    void on(api::Stale& stale) {
      if (!row_.is_optional || stale.error.code != Code::NotFound) {
        line_.tell(Lost<Collection>{of_, stale.error.message});
      } else if (std::exchange(is_served_, false)) {
        line_.tell(Listed<T>{});
      }
    }
    void on(api::Fresh& /*fresh*/) { line_.tell(Back<Collection>{of_}); }

    Line& line_;
    const Collection of_;
    const CollectionRow& row_;
    const std::function<void(const T&)> noticed_;
    bool is_served_ = true;  // as far as is known
    api::Watcher<T> watcher_;
  };

  Line& line_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<AnyFollower>> all_{};
};

}  // namespace elbowroom::control
