// The wire of a daemon that writes nothing of its own (control/api_worker.h): it follows its
// collections, and what it does every other daemon can do too.
//
// Daemon is as in control/api_worker.h, with follow(collections).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/transport/transport.h"
#include "control/api_line.h"
#include "control/api_worker.h"
#include "control/followed_collections.h"

namespace elbowroom::control {

template <class DaemonType>
class PlainWire {
 public:
  using Daemon = DaemonType;
  using Options = ApiWorkerOptions;
  using Line = ApiLine<Daemon>;
  using Collections = FollowedCollections<Line, typename Daemon::Collection>;

  [[nodiscard]] static api::TransportOptions transport_options() {
    api::TransportOptions of;
    of.user_agent = std::string(Daemon::kName) + "/" ELBOWROOM_VERSION;
    return of;
  }

  PlainWire(Line& /*line*/, const Options& /*options*/) {}

  static void follow(Collections& collections) { Daemon::follow(collections); }
  [[nodiscard]] static std::vector<std::string> take_news() { return {}; }
  [[nodiscard]] static std::uint64_t reduced_pods() { return 0; }
};

}  // namespace elbowroom::control
