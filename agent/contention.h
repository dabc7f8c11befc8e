// Detects other writers that undo our writes. It keeps what we wrote to each pod and the watch has
// shown, and counts for the node how often it was undone. A value counts as undone only if the
// watch has shown it, a later version of the pod no longer has it, and we still want it. So a slow
// watch, a duplicated or late event, and our own writes never count.
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

// What a write says about each field it changes, in words: "condition/TYPE", "container/NAME",
// "pod". A removed condition is "".
using WrittenFields = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] WrittenFields fields_of(const WriteStatus& write);

// Our writes that one pod shows.
//
//   wrote --> awaited --the watch shows it--> standing --a later version does not--> undone
struct OwnWrites {
  struct StandingWrite {
    std::string value{};
    std::uint64_t version = 0;                    // of the pod that showed it
    std::optional<policy::Time> kubelet_wrote{};  // as last shown

    friend bool operator==(const StandingWrite&, const StandingWrite&) = default;
  };
  WrittenFields awaited{};
  std::map<std::string, StandingWrite, std::less<>> standing{};
  std::uint64_t newest = 0;  // latest version of the pod that was shown
  // A write with an unknown outcome may take effect late: until then nothing counts as undone.
  std::chrono::milliseconds blame_from{0};
  // When a kubelet last wrote the pod's status, according to the pod, and whether a kubelet undid
  // the last undone write.
  std::optional<policy::Time> kubelet_wrote{};
  bool by_kubelet = false;

  friend bool operator==(const OwnWrites&, const OwnWrites&) = default;
};

// The write is on its way.
void wrote(OwnWrites& own, const WriteStatus& write);

// The write failed; `certain` is false if it may still take effect (a timeout).
void refused(OwnWrites& own, bool certain, std::chrono::milliseconds now);

// A list does not say when a kubelet last wrote to a pod.
inline constexpr policy::Time kKubeletUnknown{};

// The watch shows this version of the pod, which a kubelet wrote at that time; nullopt: no kubelet
// wrote to it, according to the pod.
void shown(OwnWrites& own, const policy::Pod& pod,
           std::optional<policy::Time> kubelet_wrote = std::nullopt);

// The pod as shown needs the write `needed`. Returns true if another writer undid one of our
// writes; each undoing is reported once.
[[nodiscard]] bool was_undone(OwnWrites& own, const policy::Pod& pod, const WriteStatus& needed,
                              std::chrono::milliseconds now);

// From now on the condition belongs to another writer, which is permitted: our write was not
// undone.
void forget(OwnWrites& own, std::string_view condition);

// The sizes that we gave to a pod's containers, "" for its own cgroup.
//
//   given --the runtime shows it--> shown --it shows another--> undone
//
// A failed call may still take effect, so after a failure nothing counts as given.
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

// We gave that container (or the pod's cgroup) this size.
void sized(OwnSizes& own, const std::string& container, const PodReport& report,
           const cri::RuntimeResources& size);

// The runtime's latest report of the pod.
void shown(OwnSizes& own, const PodReport& report);

// A call to set its size failed, or had no visible effect; `certain` is false if it may still take
// effect.
void refused(OwnSizes& own, const std::string& container, bool certain,
             std::chrono::milliseconds now);

// `container` is about to get a size again. Returns true if another writer changed the size we gave
// it; each undoing is reported once.
[[nodiscard]] bool was_undone(OwnSizes& own, const std::string& container, const PodReport& report,
                              std::chrono::milliseconds now);

// How often writes were undone on this node, and the consequence. One user can undo writes on one
// of their own pods; a writer that does so on several pods manages the node.
//
//   alone --undone too often, or a kubelet--> yielded --quiet long enough--> alone
struct Contention {
  static constexpr std::size_t kMost = 3;
  static constexpr std::size_t kLeastPods = 2;
  static constexpr std::chrono::minutes kWindow{5};
  // The quiet time before it resumes; doubled each time that it yields again within the longest
  // one.
  static constexpr std::chrono::minutes kQuiet{10};
  static constexpr std::chrono::minutes kLongestQuiet{60};

  // What one observation showed.
  struct Undoing {
    std::chrono::milliseconds at{0};
    std::set<std::string> pods{};  // uids, of no more than kLeastPods

    friend bool operator==(const Undoing&, const Undoing&) = default;
  };
  std::deque<Undoing> undone{};  // the latest, on the reactor's clock
  std::string why{};             // why it yielded; "": it did not
  unsigned times = 0;  // yields, each less than the longest quiet time after the previous one
  // Yielded: when it resumes, if everything stays quiet. Otherwise: when it last resumed.
  std::chrono::milliseconds ends_at{0};

  friend bool operator==(const Contention&, const Contention&) = default;
};

// Counts one undoing on that pod; `again`: the same observation showed another one. Returns true if
// there were too many within the window.
[[nodiscard]] bool one_too_many(Contention& contention, const std::string& pod_uid, bool again,
                                std::chrono::milliseconds now);

// Returns how long it must be quiet.
[[nodiscard]] std::chrono::minutes quiet_time(const Contention& contention);

// Stops. The caller sets `why`, which includes the resulting quiet time.
void yield(Contention& contention, std::chrono::milliseconds now);
// Another writer is still active; only while yielded.
void disturb(Contention& contention, std::chrono::milliseconds now);
void go_on(Contention& contention, std::chrono::milliseconds now);

// Returns true if another writer changed our fields between two versions of a pod or of its
// containers. For a time in which we write nothing.
[[nodiscard]] bool others_wrote(const policy::Pod& before, const policy::Pod& after);
[[nodiscard]] bool others_resized(const PodReport& before, const PodReport& after);

}  // namespace elbowroom::agent
