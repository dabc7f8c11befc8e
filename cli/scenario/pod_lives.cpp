#include "cli/scenario/pod_lives.h"

#include <map>
#include <string_view>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {
namespace {

using Time = PodLife::Time;

// What a kubelet decides is told as a change.
constexpr std::string_view kByKubelet = "kubelet: ";

class Lives {
 public:
  explicit Lives(const Timeline& timeline) : timeline_(timeline) {}

  PodLives read() {
    for (const TimelineEvent& event : timeline_.events) take(event);
    for (const policy::Pod& pod : timeline_.pods) take_rest(pod);
    for (const auto& [key, at] : open_) {
      if (!of(at).ended) of(at).to = timeline_.ended;
    }
    return std::move(made_);
  }

 private:
  PodLife& of(std::size_t at) { return made_.lives[at]; }

  void take(const TimelineEvent& event) {
    if (event.actor == "scheduler" || !event.victims.empty()) take_decision(event);
    if (event.pod.empty() || event.actor == "scheduler" || !event.victims.empty()) return;
    if (event.action == "Created") open_.erase(event.pod);
    const std::size_t at = life_of(event);
    if (event.actor == "rescheduler") {
      if (event.action == "Evict") of(at).why = "moved";
    } else if (event.action == "Changed" && event.why.starts_with(kByKubelet)) {
      const std::string_view said = std::string_view(event.why).substr(kByKubelet.size());
      const std::size_t colon = said.find(": ");
      decided(at, said.substr(0, colon), event.at,
              colon == std::string_view::npos ? "" : said.substr(colon + 2));
    } else if (event.action == "Changed") {
      if (event.why == "evicted") of(at).why = "evicted";
    } else {
      decided(at, event.action, event.at, event.why);
    }
    if (event.action == "Deleted") open_.erase(event.pod);
  }

  // Of the scheduler, and of an agent that makes room.
  void take_decision(const TimelineEvent& event) {
    if (event.action == "Bind") {
      PodLife& life = of(life_of(event));
      life.node = event.node;
      life.bound = event.at;
    }
    if (event.action == "Nominate") nominated_[event.at].push_back({life_of(event), event.node});
    for (const std::string& victim : event.victims) {
      promised_.insert_or_assign(victim, Promise{.for_pod = event.pod, .at = event.at});
    }
  }

  // The pod's life at the event; one that no event created was there from the start.
  std::size_t life_of(const TimelineEvent& event) {
    const auto [at, is_new] = open_.try_emplace(event.pod, made_.lives.size());
    if (is_new) {
      const bool is_created = event.action == "Created";
      PodLife life{.pod = event.pod, .from = is_created ? event.at : Time(0)};
      if (event.actor != "scheduler" && !event.node.empty()) {
        life.node = event.node;
        life.bound = life.from;
      }
      made_.lives.push_back(std::move(life));
    }
    return at->second;
  }

  void decided(std::size_t number, std::string_view action, Time at, std::string_view why) {
    PodLife& life = of(number);
    if (action == "Resized") {
      asked_[life.pod] = why;
      end_wait(life, at);
    } else if (action == "Defer") {
      life.waits.push_back({.from = at, .words = asked_[life.pod]});
      waiting_[life.pod] = true;
    } else if (action == "Allocate") {
      end_wait(life, at);
      life.sizes.push_back({.at = at, .words = std::string(why)});
    } else if (action == "Infeasible") {
      end_wait(life, at);
    } else if (action == "Terminating") {
      life.leaves = at;
      end_wait(life, at);
      make_room(number);
    } else if ((action == "Deleted" || action == "Exited") && !life.ended) {
      end_wait(life, at);
      life.to = at;
      life.ended = true;
    }
  }

  void end_wait(PodLife& life, Time at) {
    if (std::exchange(waiting_[life.pod], false)) life.waits.back().to = at;
  }

  // The pod that it leaves for: of a group, one that is nominated to its node at that moment.
  void make_room(std::size_t victim) {
    const auto promise = promised_.find(of(victim).pod);
    if (promise == promised_.end()) return;
    const auto pod = open_.find(promise->second.for_pod);
    if (pod != open_.end()) {
      made_.room.push_back({.victim = victim, .preemptor = pod->second});
    } else {
      for_group(victim, promise->second.at);
    }
    promised_.erase(promise);
  }

  void for_group(std::size_t victim, Time at) {
    const auto members = nominated_.find(at);
    if (members == nominated_.end()) return;
    std::size_t chosen = members->second.front().life;
    for (const Nomination& each : members->second) {
      if (each.node == of(victim).node) chosen = each.life;
    }
    made_.room.push_back({.victim = victim, .preemptor = chosen});
  }

  // What only the pods at the end say: a pod to which nothing happened, or that waited from the
  // start.
  void take_rest(const policy::Pod& pod) {
    const std::string key = policy::key_of(pod);
    const auto known = open_.find(key);
    if (known != open_.end() && of(known->second).node.empty()) {  // no event says when it got it
      of(known->second).node = pod.node;
      if (!pod.node.empty()) of(known->second).bound = of(known->second).from;
    }
    if (known != open_.end() || policy::is_finished(pod)) return;
    PodLife life{.pod = key, .node = pod.node};
    if (!pod.node.empty()) life.bound = Time(0);
    if (policy::is_deferred(pod)) life.waits.emplace_back();
    open_.emplace(key, made_.lives.size());
    made_.lives.push_back(std::move(life));
  }

  struct Promise {
    std::string for_pod{};  // or group
    Time at{0};
  };
  struct Nomination {
    std::size_t life = 0;
    std::string node{};
  };

  const Timeline& timeline_;
  PodLives made_{};
  std::map<std::string, std::size_t, std::less<>> open_{};   // by pod
  std::map<std::string, std::string, std::less<>> asked_{};  // the last change of desired, by pod
  std::map<std::string, bool, std::less<>> waiting_{};       // its last wait goes on
  std::map<std::string, Promise, std::less<>> promised_{};   // by victim
  std::map<Time, std::vector<Nomination>> nominated_{};
};

}  // namespace

PodLives lives_of(const Timeline& timeline) { return Lives(timeline).read(); }

}  // namespace elbowroom::cli
