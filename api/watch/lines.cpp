#include "api/watch/lines.h"

namespace elbowroom::api {

Result<void> Lines::feed(std::string_view bytes, const std::function<bool(std::string_view)>& f) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > max_bytes_) {
      return failure(Code::Exhausted, "a line of the stream is longer than " +
                                          std::to_string(max_bytes_) + " bytes");
    }
    if (end == std::string_view::npos) {
      rest_.append(piece);
      return {};
    }
    bytes.remove_prefix(end + 1);

    // The usual case needs no copy: the whole line in one piece.
    const std::string joined = rest_.empty() ? std::string() : rest_ + std::string(piece);
    rest_.clear();
    std::string_view line = joined.empty() ? piece : std::string_view(joined);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !f(line)) return {};
  }
  return {};
}

}  // namespace elbowroom::api
