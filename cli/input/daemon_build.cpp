#include "cli/input/daemon_build.h"

#include <cstddef>

namespace elbowroom::cli {
namespace {

std::string value_in(std::string_view line, std::string_view label) {
  const std::string begin = std::string(label) + "=\"";
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + begin.size());
  return std::string(line.substr(0, line.find('"')));
}

}  // namespace

DaemonBuild daemon_build_in(std::string_view metrics) {
  const std::size_t at = metrics.find("\nelbowroom_build_info{");
  if (at == std::string_view::npos) return {};
  const std::string_view line = metrics.substr(at + 1, metrics.find('\n', at + 1) - at - 1);
  return {.program = value_in(line, "program"),
          .version = value_in(line, "version"),
          .revision = value_in(line, "revision")};
}

}  // namespace elbowroom::cli
