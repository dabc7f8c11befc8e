// Cuts a stream of bytes into frames, as watches in protobuf send one event per frame: four bytes
// that say how long it is, the highest first, and then so many. However the stream is cut into
// pieces, the same frames come out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

class Frames {
 public:
  // Requires max_bytes > 0: the longest frame, without its length.
  explicit Frames(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls f for every frame that is complete; empty ones are left out. f answers false to stop, and
  // may end this. Exhausted: a frame is too long; nothing more can be fed then.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // What stands behind the last whole frame.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::size_t max_bytes_;
  std::string rest_;
};

}  // namespace elbowroom::api
