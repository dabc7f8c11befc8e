// Any bytes as a time: what parses prints in a form that parses to the same time.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/timestamp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const auto time = api::parse_timestamp({reinterpret_cast<const char*>(bytes), size});
  if (!time) return 0;
  // An offset can push the first and the last day out of the four-digit years.
  const auto year =
      std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(*time)).year();
  if (year < std::chrono::year(0) || year > std::chrono::year(9999)) return 0;
  const auto again = api::parse_timestamp(api::format_timestamp(*time));
  if (!again || *again != *time) std::abort();
  return 0;
}
