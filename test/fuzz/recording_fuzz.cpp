// Any text as a recording: an error, or a replay that ends; and a rewritten recording replays to
// the same. The text is also tried after a valid header, because few inputs would otherwise get
// past the first line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/recording/recording.h"
#include "recording/recording_file.h"
#include "rescheduler/recording/recording.h"
#include "scheduler/recording/recording.h"

namespace {

using elbowroom::recording::RecordingReader;

constexpr std::string_view kHeader =
    R"({"recording":"elbowroomd","format":1,"options":{"nodeName":"node-1","authority":true,)"
    R"("criticalPreemption":true,"managePodCgroups":true},"state":{"criticalPreemption":true}})"
    "\n";
constexpr std::string_view kSchedulerHeader =
    R"({"recording":"elbowroom-scheduler","format":1,"options":{}})"
    "\n";

constexpr std::string_view kReschedulerHeader =
    R"({"recording":"elbowroom-rescheduler","format":1,"options":{}})"
    "\n";

template <class ReplayOptions>
void try_one(const std::string& text) {
  RecordingReader from = RecordingReader::of_text(text);
  std::string rewritten;
  ReplayOptions options{.all = true};
  options.rewritten = [&](std::string_view line) { rewritten += std::string(line) + "\n"; };
  const auto report = replay(from, options);
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return;
  }
  RecordingReader again = RecordingReader::of_text(rewritten);
  const auto same = replay(again, ReplayOptions{});
  if (!same || same->first || same->observations != report->observations) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  using Agents = elbowroom::agent::ReplayOptions;
  using Schedulers = elbowroom::scheduler::ReplayOptions;
  try_one<Agents>(text);
  try_one<Agents>(std::string(kHeader) + text);
  try_one<Schedulers>(text);
  try_one<Schedulers>(std::string(kSchedulerHeader) + text);
  using Reschedulers = elbowroom::rescheduler::ReplayOptions;
  try_one<Reschedulers>(text);
  try_one<Reschedulers>(std::string(kReschedulerHeader) + text);
  return 0;
}
