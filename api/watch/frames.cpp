#include "api/watch/frames.h"

#include <cstdint>
#include <utility>

namespace elbowroom::api {
namespace {

constexpr std::size_t kLengthBytes = 4;

std::size_t length_in(std::string_view bytes) {
  std::uint32_t length = 0;
  for (const char byte : bytes.substr(0, kLengthBytes)) {
    length = length << 8U | static_cast<unsigned char>(byte);
  }
  return length;
}

}  // namespace

Result<void> Frames::feed(std::string_view bytes, const std::function<bool(std::string_view)>& f) {
  // The usual case needs no copy: whole frames in one piece.
  std::string joined = std::exchange(rest_, {});
  if (!joined.empty()) joined += bytes;
  std::string_view left = joined.empty() ? bytes : std::string_view(joined);
  while (left.size() >= kLengthBytes) {
    const std::size_t length = length_in(left);
    if (length > max_bytes_) {
      return failure(Code::Exhausted, "a frame of the stream is longer than " +
                                          std::to_string(max_bytes_) + " bytes");
    }
    if (left.size() - kLengthBytes < length) break;
    const std::string_view frame = left.substr(kLengthBytes, length);
    left.remove_prefix(kLengthBytes + length);
    if (!frame.empty() && !f(frame)) return {};
  }
  if (!joined.empty()) {
    joined.erase(0, joined.size() - left.size());
    rest_ = std::move(joined);
  } else {
    rest_ = left;
  }
  return {};
}

}  // namespace elbowroom::api
