// How well the API server is followed, at one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/transport/transport.h"
#include "api/watch/watch_loop.h"
#include "control/collection.h"
#include "policy/model/time.h"

namespace elbowroom::control {

struct CollectionRound {
  const CollectionRow* row = nullptr;  // of a table that never ends
  api::Freshness freshness{};
};

struct ApiRound {
  std::vector<CollectionRound> collections{};  // that are followed, in the table's order
  std::uint64_t events_superseded = 0;
  std::uint64_t events_dropped = 0;
  std::uint64_t reduced_pods = 0;                     // of which not everything counts one by one
  std::optional<policy::Time> certificate_expires{};  // the client certificate; nullopt: none
  api::Clock::time_point now{};

  // Of the collection at that place; as before the first list where there is none.
  [[nodiscard]] api::Freshness freshness(std::size_t place) const {
    return place < collections.size() ? collections[place].freshness : api::Freshness{};
  }
};

}  // namespace elbowroom::control
