#include "agent/object_version.h"

#include <charconv>

namespace elbowroom::agent {

std::uint64_t version_number(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto [read_to, wrong] = std::from_chars(resource_version.data(), end, number);
  return wrong == std::errc{} && read_to == end ? number : 0;
}

bool is_older(std::string_view resource_version, std::string_view than) {
  const std::uint64_t number = version_number(resource_version);
  return number != 0 && number < version_number(than);
}

}  // namespace elbowroom::agent
