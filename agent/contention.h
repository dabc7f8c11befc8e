// Whether somebody else undoes what we write: per pod what we wrote and the watch has shown, and
// for the node how often it was undone. Only a value that the watch has shown, that a later version
// of the pod no longer has, and that we still want counts as undone; so a slow watch, an event that
// comes twice or too late, and our own writes never do.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/effect.h"
#include "agent/observation.h"
#include "cri/types.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// What a write says about each field it touches, in words: "condition/TYPE", "container/NAME",
// "pod". The word for a condition that is to be away is "".
using WrittenFields = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] WrittenFields fields_of(const WriteStatus& write);

// What one pod shows of what we wrote.
//
//   wrote --> awaited --the watch shows it--> standing --a later version does not--> undone
struct OwnWrites {
  struct StandingWrite {
    std::string value{};
    std::uint64_t version = 0;                    // of the pod that showed it
    std::optional<policy::Time> kubelet_wrote{};  // as it was when it was last shown

    friend bool operator==(const StandingWrite&, const StandingWrite&) = default;
  };
  WrittenFields awaited{};
  std::map<std::string, StandingWrite, std::less<>> standing{};
  std::uint64_t newest = 0;  // version of the pod that was shown
  // A write whose fate is not known may land late: until then nobody is blamed.
  std::chrono::milliseconds blame_from{0};
  // When a kubelet last wrote into the pod's status, as the pod says; and whether what was undone
  // last was undone by one.
  std::optional<policy::Time> kubelet_wrote{};
  bool by_kubelet = false;

  friend bool operator==(const OwnWrites&, const OwnWrites&) = default;
};

// The write is on its way.
void wrote(OwnWrites& own, const WriteStatus& write);

// It was answered; `certain` is false where it may be carried out yet (a timeout).
void refused(OwnWrites& own, bool certain, std::chrono::milliseconds now);

// A list does not tell when a kubelet last wrote into a pod.
inline constexpr policy::Time kKubeletUnknown{};

// The watch shows this version of the pod, into which a kubelet wrote at that time; nullopt: none
// did, as far as the pod tells.
void shown(OwnWrites& own, const policy::Pod& pod,
           std::optional<policy::Time> kubelet_wrote = std::nullopt);

// The pod as it is shown wants `needed` written. True where somebody else undid one of our writes;
// one undoing is told once.
[[nodiscard]] bool was_undone(OwnWrites& own, const policy::Pod& pod, const WriteStatus& needed,
                              std::chrono::milliseconds now);

// That condition is another writer's now, as it may be: nobody undid ours.
void forget(OwnWrites& own, std::string_view condition);

// The sizes that we gave to a pod's containers, "" for its own cgroup.
//
//   given --the runtime shows it--> shown --it shows another--> undone
//
// A call that failed may have been carried out all the same, so then nothing counts as given.
struct OwnSizes {
  struct Size {
    std::string container_id{};
    cri::RuntimeResources size{};  // as read back
    bool shown = false;

    friend bool operator==(const Size&, const Size&) = default;
  };
  std::map<std::string, Size, std::less<>> given{};
  std::chrono::milliseconds blame_from{0};  // as for writes

  friend bool operator==(const OwnSizes&, const OwnSizes&) = default;
};

// That container (or the pod's cgroup) has this size now, by our doing.
void sized(OwnSizes& own, const std::string& container, const PodReport& report,
           const cri::RuntimeResources& size);

// The runtime shows this of the pod.
void shown(OwnSizes& own, const PodReport& report);

// A call that was to give it a size failed, or did nothing that shows; `certain` is false where it
// may be carried out yet.
void refused(OwnSizes& own, const std::string& container, bool certain,
             std::chrono::milliseconds now);

// `container` is to be given a size again. True where somebody else changed the one we gave it; one
// undoing is told once.
[[nodiscard]] bool was_undone(OwnSizes& own, const std::string& container, const PodReport& report,
                              std::chrono::milliseconds now);

// How often it happened on this node, and what followed. One user can undo what is written on a pod
// of his; who does so on several is another manager of the node.
//
//   alone --undone too often, or a kubelet--> yielded --quiet long enough--> alone
struct Contention {
  static constexpr std::size_t kMost = 3;
  static constexpr std::size_t kLeastPods = 2;
  static constexpr std::chrono::minutes kWindow{5};
  // Until it goes on: doubled each time that it yields again within the longest.
  static constexpr std::chrono::minutes kQuiet{10};
  static constexpr std::chrono::minutes kLongestQuiet{60};

  // What one observation showed.
  struct Undoing {
    std::chrono::milliseconds at{0};
    std::set<std::string> pods{};  // uids, of no more than kLeastPods

    friend bool operator==(const Undoing&, const Undoing&) = default;
  };
  std::deque<Undoing> undone{};  // the latest, on the reactor's clock
  std::string why{};             // yielded; "": not
  unsigned times = 0;            // that it yielded, with less than the longest between two
  // Yielded: when it goes on, if all stays quiet. Else: when it went on last.
  std::chrono::milliseconds ends_at{0};

  friend bool operator==(const Contention&, const Contention&) = default;
};

// Counts one of that pod; `again`: the same observation showed another one. True when that was one
// too many within the window.
[[nodiscard]] bool one_too_many(Contention& contention, const std::string& pod_uid, bool again,
                                std::chrono::milliseconds now);

// How long it must be quiet.
[[nodiscard]] std::chrono::minutes quiet_time(const Contention& contention);

// Stops; why is for the caller to say, who knows how long then.
void yield(Contention& contention, std::chrono::milliseconds now);
// Another writer is at work still; while yielded.
void disturb(Contention& contention, std::chrono::milliseconds now);
void go_on(Contention& contention, std::chrono::milliseconds now);

// Another writer changed what is ours, from one version of a pod or of its containers to the next.
// For a time in which we write nothing.
[[nodiscard]] bool others_wrote(const policy::Pod& before, const policy::Pod& after);
[[nodiscard]] bool others_resized(const PodReport& before, const PodReport& after);

}  // namespace elbowroom::agent
