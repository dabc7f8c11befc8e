// Who a daemon of ours is, by the metric elbowroom_build_info of its page /metrics.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::cli {

struct DaemonBuild {
  std::string program{};  // "elbowroomd"; "": the page is not one of ours
  std::string version{};
  std::string revision{};
};

[[nodiscard]] DaemonBuild daemon_build_in(std::string_view metrics);

}  // namespace elbowroom::cli
