// Any bytes as message, keys and values of a log line: one bounded line without control characters,
// or, for the journal, one for each field.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "daemon/log/log_line.h"

namespace {

using elbowroom::daemon::LogFormat;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider input(bytes, size);
  const auto format =
      input.PickValueInArray({LogFormat::Text, LogFormat::Json, LogFormat::Journal});
  const std::string message = input.ConsumeRandomLengthString();
  std::vector<std::string> values;
  while (input.remaining_bytes() > 0 && values.size() < 64) {
    values.push_back(input.ConsumeRandomLengthString());
    // A long value from a short input.
    if (input.ConsumeBool()) values.back() += std::string(size_t{10'000}, 'x') + values.back();
  }
  std::vector<elbowroom::daemon::Field> fields;
  for (const std::string& value : values) fields.push_back({"err", value});

  const std::string line = elbowroom::daemon::with_repeats(
      format,
      elbowroom::daemon::format_line(format, elbowroom::daemon::LogLevel::Warn, message, fields),
      input.ConsumeIntegral<std::size_t>());
  require(line.size() <= elbowroom::daemon::kMaxLogLineBytes);
  require(elbowroom::first_invalid_utf8(line) == line.size());
  if (format == LogFormat::Journal) {
    require(line == elbowroom::sanitize(line));
    for (std::size_t at = 0; at < line.size();
         at = std::min(line.find('\n', at), line.size()) + 1) {
      const std::size_t equals = line.find('=', at);
      require(equals != std::string::npos && equals > at);
      require(std::all_of(line.data() + at, line.data() + equals,
                          [](char c) { return c >= 'A' && c <= 'Z'; }));
    }
    return 0;
  }
  require(line == elbowroom::sanitize_line(line));
  return 0;
}
