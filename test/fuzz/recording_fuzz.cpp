// Any text as a recording: an error, or a replay that ends; and what was rewritten replays to the
// same. The text is also tried behind a right header, or few of them would get past the first line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/replay.h"
#include "daemon/recording.h"

namespace {

using elbowroom::agent::ReplayOptions;
using elbowroom::daemon::RecordingReader;

constexpr std::string_view kHeader =
    R"({"recording":"elbowroomd","format":1,"options":{"nodeName":"node-1","authority":true,)"
    R"("criticalPreemption":true,"managePodCgroups":true},"state":{"criticalPreemption":true}})"
    "\n";

void try_one(const std::string& text) {
  RecordingReader from = RecordingReader::of_text(text);
  std::string rewritten;
  ReplayOptions options{.all = true};
  options.rewritten = [&](std::string_view line) { rewritten += std::string(line) + "\n"; };
  const auto report = elbowroom::agent::replay(from, options);
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return;
  }
  RecordingReader again = RecordingReader::of_text(rewritten);
  const auto same = elbowroom::agent::replay(again, {});
  if (!same || same->first || same->observations != report->observations) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  try_one(text);
  try_one(std::string(kHeader) + text);
  return 0;
}
