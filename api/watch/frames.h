// Splits a byte stream into frames. Watches in protobuf send one event per frame: a length of four
// bytes, big-endian, then that many bytes. The frames do not depend on how the stream is cut into
// pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

class Frames {
 public:
  // Requires max_bytes > 0: the longest frame, without its length prefix.
  explicit Frames(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls f for every complete frame; empty frames are skipped. f returns false to stop, and may
  // destroy this object. Exhausted: a frame is too long; then nothing more can be fed.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // The bytes after the last complete frame.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::size_t max_bytes_;
  std::string rest_;
};

}  // namespace elbowroom::api
