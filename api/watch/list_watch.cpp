#include "api/watch/list_watch.h"

#include <algorithm>
#include <utility>

namespace elbowroom::api {
namespace {

constexpr std::chrono::seconds kVeryShort{1};
constexpr int kMaxShortWatches = 3;
// In a small cluster, kube-apiserver ends a watch whose reader lags by ten events. That happens at
// every burst, and each time the reader has advanced that far.
constexpr int kWorthItsOpening = 10;
constexpr int kMaxPages = 10'000;
constexpr std::size_t kUsualPageBytes = std::size_t{16} << 20;
constexpr int kLeastPageLimit = 10;
constexpr std::size_t kMaxVersionBytes = 256;
constexpr std::chrono::milliseconds kMaxServerDelay{60'000};

Error invalid(std::string message) { return {Code::Invalid, std::move(message), {}}; }

bool is_version(const std::string& text) {
  return !text.empty() && text.size() <= kMaxVersionBytes;
}

}  // namespace

ListWatchFailure failure_from(const Status& status) {
  ListWatchFailure failure{FailureKind::Other, error_from(status)};
  if (is_expired(status)) {
    failure.kind = FailureKind::Expired;
  } else if (is_version_too_large(status)) {
    failure.kind = FailureKind::TooLarge;
  } else if (status.code == 429 || status.reason == "TooManyRequests") {
    failure.kind = FailureKind::Busy;
  }
  return failure;
}

ListWatch::ListWatch(ListWatchOptions options)
    : options_(options),
      backoff_(options.backoff, options.seed),
      random_(~options.seed),
      page_limit_(options.page_limit) {}

ListWatchActions ListWatch::handle(const ListWatchInput& input, Clock::time_point now) {
  return std::visit([&](const auto& came) { return on(came, now); }, input);
}

ListWatchActions ListWatch::on(const Begin&, Clock::time_point) { return first_page(); }

// "0" lets the server answer from its cache. A version means "not older than that", but with a
// limit it would mean "exactly that", so it is sent without a limit.
ListWatchActions ListWatch::first_page() {
  phase_ = Phase::Listing;
  list_version_.clear();
  pages_ = 0;
  FetchPage page;
  if (!is_unavailable_) page.resource_version = version_.empty() ? "0" : version_;
  const bool may_page = page.resource_version.empty() || page.resource_version == "0";
  if (may_page && !is_unpaged_) page.limit = page_limit_;
  return {page};
}

// Adjusts the page limit: a page must arrive within its deadline, and large objects must not burden
// the server.
void ListWatch::follow_size(std::size_t bytes, std::size_t items) {
  if (items == 0) return;
  const std::size_t fit = kUsualPageBytes / std::max<std::size_t>(bytes / items, 1);
  const auto most = static_cast<std::size_t>(options_.page_limit);
  const auto least = std::min<std::size_t>(kLeastPageLimit, most);
  page_limit_ = static_cast<int>(std::clamp(fit, least, most));
}

ListWatchActions ListWatch::on(const PageArrived& page, Clock::time_point now) {
  if (phase_ != Phase::Listing) return {};
  if (page.is_partial) {
    return wait(Phase::WaitingToList, invalid("the server lists only a shard of the collection"),
                now);
  }
  follow_size(page.bytes, page.items);
  if (++pages_ == 1) list_version_ = page.resource_version;
  if (!is_version(list_version_)) {
    return wait(Phase::WaitingToList, invalid("the list has no usable resourceVersion"), now);
  }
  if (!page.continue_token.empty() && pages_ < kMaxPages) {
    return {FetchPage{"", page_limit_, page.continue_token, false}};
  }
  if (!page.continue_token.empty()) {
    return wait(Phase::WaitingToList, invalid("the list has no end"), now);
  }

  version_ = list_version_;
  is_unavailable_ = false;
  is_unpaged_ = false;
  is_synced_ = true;
  is_stale_ = false;
  ListWatchActions actions = open_watch(now);
  actions.insert(actions.begin(), DeliverList{});
  return actions;
}

ListWatchActions ListWatch::on(const ListFailed& failed, Clock::time_point now) {
  if (phase_ != Phase::Listing) return {};
  const FailureKind kind = failed.failure.kind;
  // A page that was cut off in transit, perhaps by its deadline, is requested again in smaller
  // parts.
  if (failed.page_bytes > kUsualPageBytes) {
    page_limit_ = std::max(page_limit_ / 4, std::min(kLeastPageLimit, options_.page_limit));
  }
  if (pages_ > 0 && kind == FailureKind::Expired && !is_unpaged_) {
    is_unpaged_ = true;
    return first_page();
  }
  const bool is_about_version = kind == FailureKind::Expired || kind == FailureKind::TooLarge;
  if (pages_ == 0 && is_about_version && !is_unavailable_) {
    is_unavailable_ = true;
    return first_page();
  }
  return wait(Phase::WaitingToList, failed.failure.error, now);
}

ListWatchActions ListWatch::open_watch(Clock::time_point now) {
  phase_ = Phase::Watching;
  watch_began_ = now;
  opened_at_ = version_;
  events_ = 0;
  const auto span = options_.longest_watch - options_.least_watch;
  const auto chance = random_() % static_cast<std::uint64_t>(span.count() + 1);
  return {OpenWatch{version_, options_.least_watch + std::chrono::seconds(chance)}};
}

ListWatchActions ListWatch::on(const WatchOpened&, Clock::time_point) {
  if (phase_ != Phase::Watching || !is_stale_) return {};
  is_stale_ = false;
  return {ReportFresh{}};
}

ListWatchActions ListWatch::on(const EventArrived& event, Clock::time_point now) {
  if (phase_ != Phase::Watching) return {};
  // A Status has no resourceVersion, so the known version stays unchanged.
  if (event.type == EventType::Error) return watch_broken(event.failure, now);
  if (event.type == EventType::Unknown || !event.is_expected_kind) return {};
  if (!is_version(event.resource_version)) {
    return watch_broken({FailureKind::Other, invalid("an event of the watch has no usable "
                                                     "resourceVersion")},
                        now);
  }
  version_ = event.resource_version;
  has_relisted_ = false;
  ++events_;
  switch (event.type) {
    case EventType::Added:
    case EventType::Modified:
      return {DeliverUpsert{}};
    case EventType::Deleted:
      return {DeliverRemoval{}};
    default:
      return {};
  }
}

ListWatchActions ListWatch::on(const WatchEnded&, Clock::time_point now) {
  if (phase_ != Phase::Watching) return {};
  const bool is_short = now - watch_began_ < kVeryShort;
  const bool has_progressed = events_ >= kWorthItsOpening && version_ != opened_at_;
  short_watches_ = is_short && !has_progressed ? short_watches_ + 1 : 0;
  if (is_short && events_ == 0) {
    return wait(Phase::WaitingToList, {Code::Unavailable, "the watch ended at once, empty", {}},
                now);
  }
  // A watch may end at once with few events, but repeatedly it would be a busy loop.
  if (short_watches_ > kMaxShortWatches) {
    return wait(Phase::WaitingToWatch, {Code::Unavailable, "watches end at once", {}}, now);
  }
  if (!is_short) has_relisted_ = false;
  return open_watch(now);
}

ListWatchActions ListWatch::on(const WatchFailed& failed, Clock::time_point now) {
  if (phase_ != Phase::Watching) return {};
  return watch_broken(failed.failure, now);
}

ListWatchActions ListWatch::watch_broken(const ListWatchFailure& failure, Clock::time_point now) {
  switch (failure.kind) {
    case FailureKind::Busy:
    case FailureKind::Unreachable:
      // The server is overloaded or unreachable: a list would only add to it.
      return wait(Phase::WaitingToWatch, failure.error, now);
    case FailureKind::Expired:
      if (has_relisted_) break;
      has_relisted_ = true;
      return first_page();
    case FailureKind::TooLarge:
    case FailureKind::Other:
      break;
  }
  return wait(Phase::WaitingToList, failure.error, now);
}

ListWatchActions ListWatch::wait(Phase then, const Error& why, Clock::time_point now) {
  phase_ = then;
  is_stale_ = true;
  const auto wish = std::min(why.retry_after, kMaxServerDelay);
  return {ReportStale{why}, Wait{std::max(backoff_.next(now), wish)}};
}

ListWatchActions ListWatch::on(const WaitOver&, Clock::time_point now) {
  if (phase_ == Phase::WaitingToWatch) return open_watch(now);
  if (phase_ == Phase::WaitingToList) return first_page();
  return {};
}

}  // namespace elbowroom::api
