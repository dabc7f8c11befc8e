#include "cli/lab/lab_options.h"

#include <cstdio>

#include "api/codec/quantity.h"
#include "base/text.h"

namespace elbowroom::cli {

Result<std::int64_t> amount_option(std::string_view option, std::string_view resource,
                                   const std::string& text) {
  const auto amount = api::parse_quantity(text, api::unit_of(resource));
  if (amount && *amount > 0) return *amount;
  return failure(Code::Invalid, std::string(option) + ": \"" + text +
                                    "\" is no quantity above zero; write it like 4, 500m or 8Gi");
}

void print_error_line(const std::string& what) {
  const std::string line = "elbowroom: " + sanitize_line(what) + "\n";
  (void)std::fputs(line.c_str(), stderr);  // one call: lines of several threads do not mix
}

}  // namespace elbowroom::cli
