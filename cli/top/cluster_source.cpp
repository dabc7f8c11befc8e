#include "cli/top/cluster_source.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "api/codec/decode_pod_group.h"
#include "api/transport/curl_transport.h"
#include "api/watch/pod_reader.h"
#include "cli/top/live_cluster.h"
#include "cli/top/signals_blocked.h"
#include "cluster/followed_objects.h"
#include "control/followed_collections.h"
#include "policy/model/time.h"
#include "scheduler/collections.h"

namespace elbowroom::cli::top {
namespace {

using Clock = api::Clock;

// Changes are shown together.
constexpr std::chrono::milliseconds kBetween{500};
// The most that is looked at between two sights, and how much longer than that it rests: whatever
// changes, this takes a twentieth of a core.
constexpr std::chrono::milliseconds kLook{50};
constexpr int kRest = 20;
constexpr std::chrono::milliseconds kLongestWait{500};
constexpr std::size_t kMostGroupBytes = std::size_t{64} << 20;

policy::Time clock_now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace

// What belongs to the thread.
class ClusterSource::Follower {
 public:
  Follower(api::Access access, Sights& sights)
      : transport_(std::move(access), {}), sights_(sights) {
    follow();
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { transport_.post([] {}); });
    collections_.start();
    while (!stop.stop_requested()) {
      const Clock::duration left = next_ - Clock::now();
      transport_.run_once(std::clamp<Clock::duration>(left, Clock::duration(0), kLongestWait));
      if (Clock::now() >= next_) look();
    }
  }

  void explain(std::string pod) {
    transport_.post([this, pod = std::move(pod)]() mutable {
      wanted_ = std::move(pod);
      is_asked_ = true;
    });
  }

  // ---- as FollowedCollections wants its line ----
  [[nodiscard]] api::Transport& transport() { return transport_; }
  void tell(LiveCluster::Seen seen) {
    is_news_ = true;
    live_.take(std::move(seen));
  }

 private:
  using Collections = control::FollowedCollections<Follower, Collection>;

  void follow() {
    using scheduler::row_of;
    collections_.add(Collection::Nodes,
                     cluster::followed_nodes(row_of(Collection::Nodes), api::Part::Sizes));
    collections_.add(Collection::Pods, pods());
    collections_.add(Collection::Budgets,
                     cluster::followed_budgets<policy::PodDisruptionBudget>(
                         row_of(Collection::Budgets), api::decode_pod_disruption_budget));
    collections_.add(Collection::OwnBudgets,
                     cluster::followed_budgets<policy::DisruptionBudget>(
                         row_of(Collection::OwnBudgets), api::decode_disruption_budget));
    const control::CollectionRow& groups = row_of(Collection::PodGroups);
    collections_.add(
        Collection::PodGroups,
        control::Following<policy::PodGroup>{
            .row = groups,
            .target = control::target_of(groups),
            .decode = api::decode_pod_group,
            .bounds = {.weigh = [](const auto& group) { return api::weight_of(group); },
                       .most_bytes = kMostGroupBytes}});
  }

  control::Following<cluster::PackedPod> pods() {
    const control::CollectionRow& row = scheduler::row_of(Collection::Pods);
    api::WatchTarget target = control::target_of(row);
    target.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
    target.part = api::Part::Sizes;
    target.overflow = &pod_reader_;
    const auto small = [this](const cluster::PackedPod& pod) -> Result<cluster::PackedPod> {
      return cluster::PackedPod::packed(pod_reader_.made_small(pod.unpacked()));
    };
    return {.row = row,
            .target = std::move(target),
            .decode = [this](const Value& object) -> Result<cluster::PackedPod> {
              ASSIGN_OR_RETURN(const policy::Pod pod, pod_reader_.decode(object));
              return cluster::PackedPod::packed(pod);
            },
            .bounds = {.weigh = [](const auto& pod) { return cluster::kBesidePod + pod.bytes(); },
                       .make_small = small,
                       .usual_bytes = cluster::kUsualPodBytes,
                       .most_bytes = cluster::kMostPodBytes}};
  }

  // At first all at once; later in portions.
  void look() {
    const Clock::time_point began = Clock::now();
    const auto goes_on = [&] { return !is_complete_ || Clock::now() - began < kLook; };
    const policy::Time now = clock_now();
    const bool is_news = live_.look(now, goes_on) || std::exchange(is_news_, false) ||
                         std::exchange(is_asked_, false);
    is_complete_ = is_complete_ || live_.is_complete();
    if (is_news) sights_.put(sight(now));
    next_ = began + std::max<Clock::duration>(kBetween, (Clock::now() - began) * kRest);
    if (!is_complete_) next_ = Clock::now() + kBetween;
  }

  [[nodiscard]] Sight sight(policy::Time now) const {
    Sight made{.overview = live_.overview(now),
               .notes = live_.notes(),
               .is_complete = is_complete_,
               .sees_nothing = live_.sees_nothing()};
    if (!wanted_.empty()) {
      const Result<std::string> said = live_.explain(wanted_, now);
      made.explained = {wanted_, said ? *said : said.error().message + "\n"};
    }
    return made;
  }

  api::PodReader pod_reader_{};
  LiveCluster live_{};
  bool is_news_ = false;
  bool is_asked_ = false;
  bool is_complete_ = false;
  std::string wanted_{};
  Clock::time_point next_{};
  api::CurlTransport transport_;
  Sights& sights_;
  Collections collections_{*this, 1};  // last, so that it ends before the transport
};

ClusterSource::ClusterSource(api::Access access, std::function<void()> news)
    : name_(api::to_string(access.server)),
      sights_(std::move(news)),
      follower_(std::make_unique<Follower>(std::move(access), sights_)) {
  const SignalsBlocked blocked;
  thread_ = std::jthread([this](const std::stop_token& stop) { follower_->run(stop); });
}

ClusterSource::~ClusterSource() = default;

void ClusterSource::explain(std::string pod) { follower_->explain(std::move(pod)); }

}  // namespace elbowroom::cli::top
