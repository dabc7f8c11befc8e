#include "recording/record_limit.h"

#include "api/codec/quantity.h"
#include "recording/recording_file.h"

namespace elbowroom::recording {

Result<std::uint64_t> record_limit(const daemon::Settings& settings) {
  const auto bytes = api::parse_quantity(settings.text("recordLimit"), api::Unit::Base);
  if (!bytes) return std::unexpected(bytes.error().with("recordLimit"));
  const auto limit = static_cast<std::uint64_t>(*bytes);
  if (limit < recording::kLeastRecordLimit) {
    return failure(Code::Invalid, "recordLimit: less than 1Mi holds no recording: raise it");
  }
  return limit;
}

Result<void> check_record(const std::string& path) {
  if (path.empty()) return {};
  if (const auto place = check_place(path); !place) {
    return failure(Code::Invalid, "record: " + place.error().message + ": name another file");
  }
  return {};
}

}  // namespace elbowroom::recording
