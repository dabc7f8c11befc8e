// What the values that leader-elected daemons share are made of, for their recordings. See
// recording/policy_fields.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "control/collection.h"
#include "control/effect.h"
#include "control/elector.h"
#include "control/observation.h"
#include "recording/policy_fields.h"

namespace elbowroom::recording {

template <>
struct Fields<control::ElectorOptions> {
  static void list(auto& io, auto& of) {
    auto& [identity, duration, renew_deadline, retry_period] = of;
    io("identity", identity)("durationMs", duration)("renewDeadlineMs", renew_deadline)(
        "retryPeriodMs", retry_period);
  }
};
template <>
struct Fields<control::Moment> {
  static void list(auto& io, auto& of) {
    auto& [since_start, wall] = of;
    io("ms", since_start)("wall", wall);
  }
};
template <>
struct Fields<control::Unreadable> {
  static void list(auto& io, auto& of) {
    auto& [kind, key, why, uid, node] = of;
    io("kind", kind)("key", key)("why", why)("uid", uid)("node", node);
  }
};
template <>
struct Fields<control::PolicyFieldProbed> {
  static void list(auto& io, auto& of) {
    auto& [kept] = of;
    io("kept", kept);
  }
};
template <>
struct Fields<control::ServerDated> {
  static void list(auto& io, auto& of) {
    auto& [date] = of;
    io("date", date);
  }
};
template <>
struct Fields<control::LeaseSeen> {
  static void list(auto& io, auto& of) {
    auto& [lease] = of;
    io("lease", lease);
  }
};
template <>
struct Fields<control::LeaseUnseen> {
  static void list(auto& io, auto& of) {
    auto& [why] = of;
    io("why", why);
  }
};
template <>
struct Fields<control::StopAsked> {
  static_assert(std::is_empty_v<control::StopAsked>);
  static void list(auto& /*io*/, auto& /*of*/) {}
};
template <>
struct Fields<control::TimePassed> {
  static_assert(std::is_empty_v<control::TimePassed>);
  static void list(auto& /*io*/, auto& /*of*/) {}
};
template <>
struct Fields<control::Failed> {
  static void list(auto& io, auto& of) {
    auto& [effect, error] = of;
    io("effect", effect)("error", error);
  }
};
template <>
struct Fields<control::Victim> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid] = of;
    io("namespace", ns)("name", name)("uid", uid);
  }
};
template <>
struct Fields<control::MarkVictim> {
  static void list(auto& io, auto& of) {
    auto& [victim, condition, clear] = of;
    io("victim", victim)("condition", condition)("clear", clear);
  }
};
template <>
struct Fields<control::DeleteVictim> {
  static void list(auto& io, auto& of) {
    auto& [victim, dry_run] = of;
    io("victim", victim)("dryRun", dry_run);
  }
};
template <>
struct Names<control::Subject> {
  static constexpr std::array kAll = {"Pod"sv,        "PodGroup"sv,    "Deployment"sv,
                                      "ReplicaSet"sv, "StatefulSet"sv, "ConfigMap"sv};
};
template <>
struct Fields<control::Related> {
  static void list(auto& io, auto& of) {
    auto& [kind, object] = of;
    io("kind", kind)("object", object);
  }
};
template <>
struct Fields<control::EmitEvent> {
  static void list(auto& io, auto& of) {
    auto& [regarding, warning, reason, action, note, in_log, log_only, kind, related] = of;
    io("regarding", regarding)("warning", warning)("reason", reason)("action", action)(
        "note", note)("inLog", in_log)("logOnly", log_only)("kind", kind)("related", related);
  }
};
template <>
struct Fields<control::WriteLease> {
  static void list(auto& io, auto& of) {
    auto& [lease] = of;
    io("lease", lease);
  }
};
template <>
struct Fields<control::GiveUpWrites> {
  static_assert(std::is_empty_v<control::GiveUpWrites>);
  static void list(auto& /*io*/, auto& /*of*/) {}
};
template <class Collection>
struct Fields<control::Lost<Collection>> {
  static void list(auto& io, auto& of) {
    auto& [collection, why] = of;
    io("of", collection)("why", why);
  }
};
template <class Collection>
struct Fields<control::Back<Collection>> {
  static void list(auto& io, auto& of) {
    auto& [collection] = of;
    io("of", collection);
  }
};
template <class T>
struct Fields<control::Listed<T>> {
  static void list(auto& io, auto& of) {
    auto& [objects, unreadable] = of;
    io("objects", objects)("unreadable", unreadable);
  }
};
template <class T>
struct Fields<control::Seen<T>> {
  static void list(auto& io, auto& of) {
    auto& [object] = of;
    io("object", object);
  }
};
template <class T>
struct Fields<control::Gone<T>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    io("key", key)("uid", uid);
  }
};

template <>
struct Fields<control::Done> {
  static void list(auto& io, auto& of) {
    auto& [effect, lease] = of;
    io("effect", effect)("lease", lease);
  }
};
template <>
struct Names<decltype(control::DaemonEffect::what)> {
  static constexpr std::array kAll = {"markVictim"sv, "deleteVictim"sv, "emitEvent"sv,
                                      "writeLease"sv, "giveUpWrites"sv};
};
template <>
struct Fields<control::DaemonEffect> {
  static void list(auto& io, auto& of) {
    auto& [id, not_after, what] = of;
    io("id", id)("notAfterMs", not_after)("what", what);
  }
};

// The names of what a DaemonObservation holds: those of each collection, podsListed, podsSeen and
// podsGone, then what all daemons see.
inline constexpr std::array kSharedSeenNames = {
    "unreadable"sv,  "lost"sv,      "back"sv,       "serverDated"sv, "leaseSeen"sv,
    "leaseUnseen"sv, "stopAsked"sv, "timePassed"sv, "done"sv,        "failed"sv};
template <std::size_t N>
[[nodiscard]] constexpr auto with_shared_names(const std::array<std::string_view, N>& own) {
  std::array<std::string_view, N + kSharedSeenNames.size()> all;
  std::ranges::copy(kSharedSeenNames, std::ranges::copy(own, all.begin()).out);
  return all;
}

}  // namespace elbowroom::recording
