// The Lease of a daemon, followed and written. One that cannot be understood belongs to another
// writer: it is left alone, and its trouble is reported once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/watch/watcher.h"
#include "api/write/lease.h"
#include "base/document_text.h"
#include "base/match.h"
#include "control/effect.h"
#include "control/observation.h"

namespace elbowroom::control {

// The path of a namespace's Leases.
[[nodiscard]] std::string leases_of(const std::string& ns);

// The Lease in a response. Invalid: it is none.
[[nodiscard]] Result<api::Lease> lease_in(const Result<api::Response>& response);

// Line is an ApiLine of a Daemon with kLease, the Lease's name.
template <class Line, class Daemon>
class LeaseLine {
 public:
  // `line` must outlive it.
  LeaseLine(Line& line, std::string ns) : line_(line), ns_(std::move(ns)) {}

  // Once; where the daemon does not elect, never.
  void follow(std::uint64_t seed) {
    api::ListWatchOptions watch;
    watch.seed = seed;
    watcher_.emplace(
        line_.transport(),
        api::WatchTarget{.path = leases_of(ns_),
                         .kind = "Lease",
                         .field_selector = "metadata.name=" + std::string(Daemon::kLease)},
        watch, api::decode_lease, [this](auto news) { on(news); });
  }
  void start() {
    if (watcher_) watcher_->start();
  }

  void write(EffectId id, const WriteLease& lease) {
    const bool is_new = lease.lease.resource_version.empty();
    const std::string collection = leases_of(ns_);
    line_.writes().request(
        is_new ? api::Method::Post : api::Method::Put,
        is_new ? collection : collection + "/" + std::string(Daemon::kLease), {},
        std::string(api::kJson), api::lease_body(ns_, Daemon::kLease, lease.lease),
        [this, id](Result<api::Response> response) {
          line_.look_at_date(response);
          auto stored = lease_in(response);
          if (!stored) return line_.failed(id, std::move(stored).error());
          line_.tell(typename Daemon::Done{.effect = id, .lease = *std::move(stored)});
        });
  }

 private:
  // "": it is seen again. Reported once.
  void unseen(std::string why) {
    if (why.empty() && is_seen_) return;
    is_seen_ = why.empty();
    line_.tell(LeaseUnseen{std::move(why)});
  }

  void seen(std::optional<api::Lease> lease) {
    unseen("");
    line_.tell(LeaseSeen{std::move(lease)});
  }

  void not_understood(const api::Malformed& odd) {
    line_.tell(Unreadable{"Lease", api::to_string(odd.ref), odd.error.message});
    unseen(api::to_string(odd.ref) + " cannot be understood (" + odd.error.message +
           "): delete it if no replica holds it");
  }

  void on(api::WatchReport<api::Lease>& news) {
    std::visit(Match{[&](api::Replaced<api::Lease>& list) {
                       if (!list.malformed.empty()) return not_understood(list.malformed.front());
                       if (list.objects.empty()) return seen(std::nullopt);
                       seen(std::move(list.objects.front()));
                     },
                     [&](api::Upserted<api::Lease>& one) { seen(std::move(one.object)); },
                     [&](api::Removed&) { seen(std::nullopt); },
                     [&](api::Malformed& odd) { not_understood(odd); },
                     [&](api::Stale& stale) { unseen(stale.error.message); },
                     [&](api::Fresh&) { unseen(""); }},
               news);
  }

  Line& line_;
  const std::string ns_;
  std::optional<api::Watcher<api::Lease>> watcher_{};
  bool is_seen_ = true;
};

}  // namespace elbowroom::control
