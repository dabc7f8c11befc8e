// Splits a byte stream into lines. Watches in JSON send one document per line. The lines do not
// depend on how the stream is cut into pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

class Lines {
 public:
  // Requires max_bytes > 0: the longest line, without its line feed.
  explicit Lines(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls f for every complete line, without its line feed; empty lines are skipped. f returns
  // false to stop. Exhausted: a line is too long; then nothing more can be fed.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // The bytes after the last line feed.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::size_t max_bytes_;
  std::string rest_;
};

}  // namespace elbowroom::api
