// The collections of a daemon, followed: each object that changes becomes an observation of its
// kind. An object that cannot be understood becomes one too, before the list that it is in.
//
// A kind with CollectionRow::is_discovered is looked for first:
//
//   ask discovery -> served: follow that version -> 404: ask again, and meanwhile keep what is
//   known
//        ^            none: there are no objects; ask again in half a minute
//        +---------- no answer: Lost, with why; ask again
//
// A kind that is not served any more while objects of it are known is Lost: a server of another
// version may have them still, and what they forbid stays forbidden.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/transport/backoff.h"
#include "api/watch/watcher.h"
#include "base/match.h"
#include "base/result.h"
#include "control/api_round.h"
#include "control/collection.h"
#include "control/observation.h"
#include "control/served_version.h"

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
  // Of a discovered kind: which version is followed from now on; "": none.
  std::function<void(std::string_view version)> followed{};
};

// How often it is asked whether a discovered kind is served, where it was not.
inline constexpr std::chrono::seconds kDiscoverAgain{30};

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
          how_(std::move(how)),
          row_(how_.row),
          seed_(seed),
          served_(line.transport(), row_),
          backoff_({}, seed) {
      if (!row_.is_discovered) watch(row_.version);
    }

    void start() override {
      if (row_.is_discovered) {
        discover();
      } else {
        watcher_->start();
      }
    }
    [[nodiscard]] CollectionRound round() const override {
      return {&row_, watcher_ ? watcher_->freshness() : absence_};
    }

   private:
    void watch(std::string_view version) {
      api::WatchTarget target = how_.target;
      target.path = path_of(row_, version);
      target.version = version;
      watcher_.emplace(
          line_.transport(), std::move(target), with_seed(seed_), how_.decode,
          [this](api::WatchReport<T> news) { take(news); }, how_.bounds);
    }

    // ---- a discovered kind ----

    void discover() {
      if (served_.is_asking()) return;
      again_.cancel();
      served_.ask([this](const Result<std::string_view>& version) { discovered(version); });
    }
    void discover_in(std::chrono::milliseconds delay) {
      again_ = line_.transport().after(delay, [this] { discover(); });
    }
    // The watcher may be replaced here: this is not one of its callbacks.
    void discovered(const Result<std::string_view>& version) {
      if (watcher_ && !watcher_->freshness().is_stale) return;  // it has answered meanwhile
      if (!version) {
        lose(version.error().message);
        discover_in(backoff_.next(line_.transport().now()));
      } else if (version->empty()) {
        be_absent();
      } else if (watcher_ && version_ == *version) {
        stay();
      } else {
        follow(*version);
      }
    }
    void be_absent() {
      if (knows_objects()) {
        lose(not_served_any_more("discovery has no version of " + std::string(row_.words)));
        return discover_in(kDiscoverAgain);
      }
      watcher_.reset();
      absence_ = {.is_synced = true, .heard = line_.transport().now()};
      tell_version("");
      if (std::exchange(is_served_, false)) line_.tell(Listed<T>{});
      discover_in(kDiscoverAgain);
    }
    // It is served, and its list answered that it is not: the watcher tries again by itself.
    void stay() {
      lose(absent_why_);
      discover_in(kDiscoverAgain);
    }
    void follow(std::string_view version) {
      tell_version(version);
      knew_objects_ = knows_objects();
      watch(version);
      watcher_->start();
    }
    void tell_version(std::string_view version) {
      version_ = version;
      if (how_.followed) how_.followed(version);
    }
    // Of the present version, or of the one before that it has not been listed since.
    [[nodiscard]] bool knows_objects() const {
      return knew_objects_ || (watcher_ && watcher_->objects() > 0);
    }
    [[nodiscard]] std::string not_served_any_more(const std::string& why) const {
      return why + "; " + std::string(row_.words) +
             " were known and may exist still: serve them again, or restart this program to go "
             "on without them";
    }
    void lose(const std::string& why) {
      is_served_ = true;  // as far as is known
      line_.tell(Lost<Collection>{of_, why});
    }

    // ---- what its watcher reports ----

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
      knew_objects_ = false;
      if (how_.noticed && !list.objects.empty()) how_.noticed(list.objects.front());
      std::vector<api::ObjectRef> odd;
      for (const api::Malformed& each : list.malformed) {
        odd.push_back(each.ref);
        line_.tell(unreadable(each));
      }
      line_.tell(listed_as<T>(std::move(list.objects), odd));
    }
    void on(api::Upserted<T>& one) {
      if (how_.noticed) how_.noticed(one.object);
      line_.tell(Seen<T>{std::move(one.object)});
    }
    void on(api::Removed& gone) { line_.tell(gone_as<T>(gone.ref)); }
    void on(api::Malformed& odd) {
      if (row_.is_gone_when_odd) line_.tell(gone_as<T>(odd.ref));
      line_.tell(unreadable(odd));
    }
    // Where the kind was never installed, or its objects went before it, there are no objects; the
    // watcher continues to ask. Of a discovered kind, another version may be served.
    void on(api::Stale& stale) {
      if (!row_.is_optional || stale.error.code != Code::NotFound) {
        lose(stale.error.message);
      } else if (row_.is_discovered) {
        absent_why_ = stale.error.message;
        discover();
      } else if (knows_objects()) {
        lose(not_served_any_more(stale.error.message));
      } else if (std::exchange(is_served_, false)) {
        line_.tell(Listed<T>{});
      }
    }
    void on(api::Fresh& /*fresh*/) { line_.tell(Back<Collection>{of_}); }

    Line& line_;
    const Collection of_;
    const Following<T> how_;
    const CollectionRow& row_;
    const std::uint64_t seed_;
    bool is_served_ = true;  // as far as is known
    bool knew_objects_ = false;
    ServedVersion served_;
    api::Backoff backoff_;
    std::string version_{};  // that is followed; "": none, or the row's only one
    std::string absent_why_{};
    api::Freshness absence_{};  // where none is followed
    std::optional<api::Watcher<T>> watcher_{};
    api::Ticket again_{};
  };

  Line& line_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<AnyFollower>> all_{};
};

}  // namespace elbowroom::control
