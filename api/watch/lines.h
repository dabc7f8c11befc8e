// Cuts a stream of bytes into lines, as watches send one JSON document per line. However the stream
// is cut into pieces, the same lines come out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

class Lines {
 public:
  // Requires max_bytes > 0: the longest line, without its end.
  explicit Lines(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls f for every line that is complete, without its line feed; empty lines are left out. f
  // answers false to stop. Exhausted: a line is too long; nothing more can be fed then.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // What stands behind the last line feed.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::size_t max_bytes_;
  std::string rest_;
};

}  // namespace elbowroom::api
