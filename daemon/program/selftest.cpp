#include "daemon/program/selftest.h"

#include "base/document_text.h"
#include "daemon/config/command_line.h"

namespace elbowroom::daemon {

int selftest(const Surroundings& at, std::string_view output) {
  const SandboxReport report = try_sandbox(at);
  const bool printed =
      print(output == "json" ? to_json(sandbox_document(report)) : sandbox_text(report));
  return printed && report.is_good() ? 0 : 1;
}

std::string without_brackets(std::string_view host) {
  const bool has = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return std::string(has ? host.substr(1, host.size() - 2) : host);
}

}  // namespace elbowroom::daemon
