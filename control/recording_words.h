// What is seen and done, in words for people who read a recording: what daemons share. A daemon's
// own visitor inherits these and adds its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/write/lease.h"
#include "control/effect.h"
#include "control/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::control {

// "1 pod", "2 pods".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);
// With its conditions.
[[nodiscard]] std::string seen_in_words(const policy::Pod& pod);
[[nodiscard]] std::string held_by(const api::Lease& lease);

struct SeenWords {
  std::string operator()(const Unreadable& seen) const;
  std::string operator()(const PolicyFieldProbed& seen) const;
  std::string operator()(const ServerDated& seen) const;
  std::string operator()(const LeaseSeen& seen) const;
  std::string operator()(const LeaseUnseen& seen) const;
  std::string operator()(const StopAsked& seen) const;
  std::string operator()(const TimePassed& seen) const;
  std::string operator()(const Failed& seen) const;
};

struct EffectWords {
  std::string operator()(const MarkVictim& mark) const;
  std::string operator()(const DeleteVictim& victim) const;
  std::string operator()(const EmitEvent& event) const;
  std::string operator()(const WriteLease& write) const;
  std::string operator()(const GiveUpWrites& all) const;
};

}  // namespace elbowroom::control
