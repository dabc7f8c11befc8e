// The pods that are assumed on a node and wait until their volumes are bound. What is chosen for
// them is assumed in the room, so that no other pod chooses it: a volume until the watch shows it
// reserved, a claim's node until the watch shows it, and both at the latest until the pod is bound
// or given up.
//
//   begin --> written --> the watch shows the claims bound      --> Bound:  the pod can be bound
//      |         +------> 600 s, the node, a claim or volume is gone --> Failed: judged again
//      +--> a write is refused ---------------------------------^
//
// Source: kube-scheduler plugins/volumebinding, BindPodVolumes and checkBindings (1.37).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/volume.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::scheduler {

class VolumeBindings {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Upstream's default, VolumeBindingArgs.bindTimeoutSeconds.
  static constexpr Time kTimeout{600'000};

  enum class State { Waits, Bound, Failed };
  struct Status {
    State state = State::Waits;
    std::string why{};  // with Failed

    friend bool operator==(const Status&, const Status&) = default;
  };

  // The volumes of the plan are assumed from now on. Requires that the claims and volumes exist.
  // Returns the number of this try.
  std::uint64_t begin(const std::string& pod, const std::string& uid, const std::string& node,
                      const policy::VolumePlan& plan, policy::VolumeRoom& volumes, Time now);
  // A write of that try was refused, or its outcome is not known. Does nothing if another try, or
  // none, waits.
  void failed(std::string_view pod, std::uint64_t number, std::string why);
  // The pod's volumes are looked at as the watch shows them.
  [[nodiscard]] Status look(std::string_view pod, const policy::ClusterRoom& room, Time now);
  // Nothing is assumed for the pod any more. Does nothing if it does not wait.
  void end(std::string_view pod, policy::VolumeRoom& volumes);

  [[nodiscard]] bool is_waiting(std::string_view pod, std::string_view uid) const;
  // By when the pod is looked at again at the latest. Requires that it waits.
  [[nodiscard]] Time deadline_of(std::string_view pod) const;
  // The pods that wait for that claim, or for that volume.
  [[nodiscard]] std::vector<std::string> of_claim(std::string_view claim) const;
  [[nodiscard]] std::vector<std::string> of_volume(std::string_view volume) const;
  [[nodiscard]] std::size_t size() const { return pods_.size(); }

 private:
  struct Chosen {
    std::string claim{};
    std::string claim_uid{};
    std::string volume{};  // "": it is made for the node
    // Of what is written, as it was before: another one that is not ours was ours, and was taken
    // back.
    std::string version{};
  };
  struct Binding {
    std::string uid{};
    std::uint64_t number = 0;
    std::string node{};
    Time deadline{0};
    std::vector<Chosen> chosen{};
    std::string failure{};
  };
  // "": still good. Otherwise why the pod cannot go on.
  [[nodiscard]] static std::string trouble_of(const Chosen& chosen, const policy::ClusterRoom& room,
                                              const policy::Node& node);
  [[nodiscard]] static std::string trouble_of_reserved(const Chosen& chosen,
                                                       const policy::VolumeRoom& volumes,
                                                       const policy::VolumeClaim& claim);
  [[nodiscard]] static std::string trouble_of_selected(const Chosen& chosen,
                                                       const policy::VolumeClaim& claim,
                                                       const policy::Node& node);

  std::map<std::string, Binding, std::less<>> pods_{};
  std::uint64_t tries_ = 0;
  std::set<std::pair<std::string, std::string>> by_claim_{};   // and pod
  std::set<std::pair<std::string, std::string>> by_volume_{};  // and pod
};

}  // namespace elbowroom::scheduler
