// Follows a collection by list-then-watch: decides the next request and what to deliver. It is a
// pure state machine over heads and failures (no sockets, no clock, no objects). watch_loop.h feeds
// it and carries out its actions in order.
//
//   Begin -> FetchPage -> ... -> DeliverList -> OpenWatch -> Deliver* -> (watch ends) -> OpenWatch
//                 ^                                              |
//                 +------ Wait <- failure, 410, very short watch +
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "api/transport/backoff.h"
#include "api/transport/status_error.h"
#include "base/result.h"

namespace elbowroom::api {

struct ListWatchOptions {
  int page_limit = 500;                                // at most; less for large objects
  std::size_t most_list_bytes = std::size_t{2} << 30;  // of all pages together, as received
  std::chrono::seconds least_watch{300};
  std::chrono::seconds longest_watch{600};
  // A server that hangs keeps its connections. A server that sends bookmarks sends one about every
  // minute and sometimes skips one (measured with 1.37: 119.8 s between two), so once one has been
  // seen, a silence of more than two such gaps is conclusive. A silent watch is opened again long
  // before: that loses nothing, as the next watch resumes after the last event, and what a single
  // dead connection hides is seen.
  std::chrono::milliseconds longest_head{30'000};  // until a requested watch is open
  std::chrono::milliseconds renewed_after{75'000};
  std::chrono::milliseconds longest_silence{180'000};
  std::chrono::milliseconds longest_silence_with_bookmarks{150'000};
  BackoffOptions backoff{};
  std::uint64_t seed = 1;  // for the jitter of waits and watch durations
};

// Why a list or a watch failed, as far as the state machine distinguishes it.
enum class FailureKind : std::uint8_t {
  Expired,      // 410 in any form
  TooLarge,     // the server has not reached that resourceVersion
  Busy,         // 429
  Unreachable,  // no answer at all
  Other,
};
struct ListWatchFailure {
  FailureKind kind = FailureKind::Other;
  Error error{};

  friend bool operator==(const ListWatchFailure&, const ListWatchFailure&) = default;
};
[[nodiscard]] ListWatchFailure failure_from(const Status& status);

// The inputs.
struct Begin {};
struct PageArrived {  // the head of a page; the caller kept its items
  std::string resource_version{};
  std::string continue_token{};
  bool is_partial = false;  // metadata.shardInfo: not the whole collection
  std::size_t bytes = 0;    // of the page; `items` is its number of items
  std::size_t items = 0;
};
struct ListFailed {
  ListWatchFailure failure{};
  std::size_t page_bytes = 0;  // received before the failure
};
struct WatchOpened {};
enum class EventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error, Unknown };
struct EventArrived {
  EventType type = EventType::Unknown;
  std::string resource_version{};
  bool is_expected_kind = true;
  ListWatchFailure failure{};  // of an Error event
};
struct WatchEnded {};  // without an error from the server: timeout, end of stream, connection lost
struct WatchFailed {   // it did not start, or its data is malformed
  ListWatchFailure failure{};
};
struct WaitOver {};
using ListWatchInput = std::variant<Begin, PageArrived, ListFailed, WatchOpened, EventArrived,
                                    WatchEnded, WatchFailed, WaitOver>;

// The actions, in order. FetchPage, OpenWatch and Wait are always last; close a stream that is
// still open then. No action: read on.
struct FetchPage {
  std::string resource_version{};  // "": omit the parameter
  int limit = 0;                   // 0: omit the parameter
  std::string continue_token{};
  bool is_first = true;  // drop the items kept so far

  friend bool operator==(const FetchPage&, const FetchPage&) = default;
};
struct OpenWatch {
  std::string resource_version{};
  std::chrono::seconds timeout{0};  // timeoutSeconds

  friend bool operator==(const OpenWatch&, const OpenWatch&) = default;
};
struct Wait {
  std::chrono::milliseconds delay{0};

  friend bool operator==(const Wait&, const Wait&) = default;
};
struct DeliverList {  // the kept items are now the whole collection
  friend bool operator==(const DeliverList&, const DeliverList&) = default;
};
struct DeliverUpsert {
  friend bool operator==(const DeliverUpsert&, const DeliverUpsert&) = default;
};
struct DeliverRemoval {
  friend bool operator==(const DeliverRemoval&, const DeliverRemoval&) = default;
};
struct ReportStale {  // the cached state is stale, for this reason
  Error error{};

  friend bool operator==(const ReportStale&, const ReportStale&) = default;
};
struct ReportFresh {  // ... and is up to date again
  friend bool operator==(const ReportFresh&, const ReportFresh&) = default;
};
using ListWatchAction = std::variant<FetchPage, OpenWatch, Wait, DeliverList, DeliverUpsert,
                                     DeliverRemoval, ReportStale, ReportFresh>;
using ListWatchActions = std::vector<ListWatchAction>;

// Source: client-go tools/cache reflector.go.
class ListWatch {
 public:
  explicit ListWatch(ListWatchOptions options);

  [[nodiscard]] ListWatchActions handle(const ListWatchInput& input, Clock::time_point now);

  // True once a whole list has been delivered.
  [[nodiscard]] bool is_synced() const { return is_synced_; }
  [[nodiscard]] const std::string& resource_version() const { return version_; }

 private:
  enum class Phase : std::uint8_t { Idle, Listing, Watching, WaitingToList, WaitingToWatch };

  ListWatchActions on(const Begin&, Clock::time_point now);
  ListWatchActions on(const PageArrived& page, Clock::time_point now);
  ListWatchActions on(const ListFailed& failed, Clock::time_point now);
  ListWatchActions on(const WatchOpened&, Clock::time_point now);
  ListWatchActions on(const EventArrived& event, Clock::time_point now);
  ListWatchActions on(const WatchEnded&, Clock::time_point now);
  ListWatchActions on(const WatchFailed& failed, Clock::time_point now);
  ListWatchActions on(const WaitOver&, Clock::time_point now);

  void follow_size(std::size_t bytes, std::size_t items);
  ListWatchActions first_page();
  ListWatchActions open_watch(Clock::time_point now);
  ListWatchActions wait(Phase then, const Error& why, Clock::time_point now);
  ListWatchActions watch_broken(const ListWatchFailure& failure, Clock::time_point now);

  ListWatchOptions options_;
  Backoff backoff_;
  std::mt19937_64 random_;
  Phase phase_ = Phase::Idle;

  std::string version_;          // of the last list, event or bookmark
  std::string list_version_;     // of the list being fetched
  bool is_unavailable_ = false;  // version_ is no longer available: list the most recent
  bool is_unpaged_ = false;      // a paged list expired midway: list without pages
  int pages_ = 0;
  int page_limit_;  // for the next page

  Clock::time_point watch_began_{};
  std::string opened_at_{};    // version_ when the current watch began
  int events_ = 0;             // in the current watch
  int short_watches_ = 0;      // consecutive
  bool has_relisted_ = false;  // immediately after a 410, without an event since
  bool is_synced_ = false;
  bool is_stale_ = false;
};

}  // namespace elbowroom::api
