// Of an object's JSON the part that our decoders read, by the tables that say so for protobuf. The
// one thing to know: a watch that is read through it builds no tree of environments, probes, images
// and managed fields, which are most of a pod.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/wire_tables.h"
#include "base/sieve.h"

namespace elbowroom::api {

class WireSieve final : public Sieve {
 public:
  enum class Of : std::uint8_t {
    Object,  // or a Status, where it has one
    Event,   // of a watch: {"type": ..., "object": {...}}
  };

  // Requires reads_protobuf(kind).
  WireSieve(std::string_view kind, Of of);

  [[nodiscard]] Place root() const override;
  [[nodiscard]] Place member(Place of, std::string_view key) const override;

 private:
  const WireMessage* object_;
  const WireMessage* status_;
  const Of of_;
};

}  // namespace elbowroom::api
