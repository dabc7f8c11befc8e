#include "recording/recording_header.h"

#include <cstdint>
#include <string>

#include "recording/json_fields.h"

namespace elbowroom::recording {

Result<void> check_header(const Value& line, std::string_view program, int last_format) {
  const Value* format = line.find("format");
  if (line.find("recording")->text != program) {
    return failure(Code::Invalid, "this is no recording of " + std::string(program));
  }
  recording::FieldReader reader;
  const auto number = format == nullptr ? 0 : reader.number<std::int64_t>(*format);
  if (!reader.ok() || number < 1) return failure(Code::Invalid, ".format is missing or wrong");
  if (number > last_format) {
    return failure(Code::Invalid, "it is of format " + std::to_string(number) +
                                      ", and this version reads up to " +
                                      std::to_string(last_format) +
                                      ": replay it with the version that wrote it, or a later one");
  }
  return {};
}

}  // namespace elbowroom::recording
