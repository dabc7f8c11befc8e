// The numbers of the fields of objects in Kubernetes' protobuf encoding. The schema defines the
// values; this table defines only their positions. Objects that are not in the table are served as
// JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace elbowroom::lab {

struct WireNumber {
  std::string_view field{};
  std::vector<std::uint32_t> path{};  // {2, 19}: field 19 of the message that is field 2
  bool is_pointer = false;            // in Go: left out when not set
};

using WireNumbers = std::vector<WireNumber>;  // by path

// The numbers of an object such as "core.v1.Pod"; nullptr if it is not in the table.
[[nodiscard]] const WireNumbers* wire_numbers(std::string_view object);

}  // namespace elbowroom::lab
