#include "cli/lab/demo_story.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "base/text.h"

namespace elbowroom::cli {

void DemoStory::title(const std::string& text) { std::cout << "\n" << text << "\n" << std::flush; }

void DemoStory::say(const std::string& text) { std::cout << sanitize(text) << "\n" << std::flush; }

bool DemoStory::holds(const std::string& what, bool truth) const {
  if (!truth) return fail("not so: " + what);
  say("  seen    " + what);
  return true;
}

bool DemoStory::fail(const std::string& what) const {
  say("  FAILED  " + what);
  for (const auto* program : {"agent", "scheduler", "rescheduler"}) {
    std::ifstream log(folder_ / (std::string(program) + ".log"));
    const std::string text((std::istreambuf_iterator<char>(log)), {});
    if (!text.empty()) say("  what the " + std::string(program) + " wrote:\n" + text);
  }
  return false;
}

}  // namespace elbowroom::cli
