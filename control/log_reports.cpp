#include "control/log_reports.h"

namespace elbowroom::control {

std::vector<daemon::Check> leading_checks(const std::string& lost, const std::string& lease) {
  return {{"followed", lost.empty(), lost}, {"lease", lease.empty(), lease}};
}

}  // namespace elbowroom::control
