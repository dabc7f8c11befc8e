// Selects the part of an object's JSON that our decoders read, by the protobuf tables. A filtered
// watch builds no tree of environments, probes, images and managed fields, which are most of a pod.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/codec/list_overflow.h"
#include "api/codec/wire_tables.h"
#include "base/json_filter.h"

namespace elbowroom::api {

class WireFilter final : public JsonFilter {
 public:
  enum class Of : std::uint8_t {
    Object,  // or a Status in its place
    Event,   // a watch event: {"type": ..., "object": {...}}
  };

  // Requires reads_protobuf(kind), or Part::Identity. `overflow`, which must outlive this object,
  // receives what is beyond the tables' bounds. Without it there are no bounds. `version`: see
  // message_of().
  WireFilter(std::string_view kind, Of of, Part part = Part::Whole,
             ListOverflow* overflow = nullptr, std::string_view version = {});

  [[nodiscard]] Place root() const override;
  [[nodiscard]] Place member(Place of, std::string_view key) const override;
  [[nodiscard]] std::size_t most_items(Place of) const override;
  [[nodiscard]] std::size_t most_members(Place of) const override;
  [[nodiscard]] bool hands_on(Place of) const override;
  void hand_on(Place of, const Value& item) const override;
  void left_out(Place of) const override;
  [[nodiscard]] std::size_t* budget(Place of) const override;

 private:
  [[nodiscard]] std::size_t most(Place of, Shape shape) const;

  const WireMessage* object_;
  const WireMessage* status_;  // none if only the identity is read
  ListOverflow* overflow_;
  const Of of_;
};

}  // namespace elbowroom::api
