// The numbers that the fields of objects have in Kubernetes' protobuf encoding. What the values are
// is said by the schema; here is only where they stand. Objects that are not in the table are
// served as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace elbowroom::lab {

struct WireNumber {
  std::string_view field{};
  std::vector<std::uint32_t> path{};  // {2, 19}: field 19 of the message that is field 2
  bool is_pointer = false;            // in Go: left out where it is not set
};

using WireNumbers = std::vector<WireNumber>;  // by path

// Of "core.v1.Pod"; nullptr where it is not in the table.
[[nodiscard]] const WireNumbers* wire_numbers(std::string_view object);

}  // namespace elbowroom::lab
