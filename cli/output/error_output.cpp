#include <cstdio>
#include <string>

#include "base/text.h"
#include "cli/output/progress.h"
#include "cli/verbs.h"

namespace elbowroom::cli {

void complain(std::string_view message) {
  progress().erase();
  const std::string line = sanitize("elbowroom: " + std::string(message)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace elbowroom::cli
