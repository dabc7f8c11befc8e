// The secrets that are shown to a server or a proxy, or were recently, found again in what comes
// back. A secret that stands in a text is overwritten in its place, to the same length, so the JSON
// or protobuf around it stays what it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/http.h"

namespace elbowroom::api {

class SecretsInUse {
 public:
  // What is shorter could not be told from an ordinary word, and counts for nothing.
  static constexpr std::size_t kShortest = 4;
  // What is shorter may be part of an object's name or label: it is looked for where a server
  // explains a failure, not in objects.
  static constexpr std::size_t kShortestInObjects = 16;

  // Each of these keeps the latest eight of its kind, since secrets rotate. A token:
  void add_token(std::string_view token);
  // The private keys in a PEM text: each of their lines.
  void add_keys(std::string_view pem);
  // The password in a proxy's URL, and the words that are sent for it.
  void add_proxy(std::string_view url);

  // Overwrites every secret: "[redacted*****]".
  void redact(std::string& text) const;
  // Those of at least kShortestInObjects bytes, at a few GB a second.
  void redact_objects(std::string& text) const;
  // The body: a success has objects there.
  void redact_body(Response& response) const;

  // How many bytes at the end of the text may be the beginning of a secret that redact_objects()
  // looks for; 0 where they are less than kHeld.
  static constexpr std::size_t kHeld = 4;
  [[nodiscard]] std::size_t open_end(std::string_view text) const;
  // Whether redact_objects() looks for anything.
  [[nodiscard]] bool seeks_in_objects() const { return !long_.empty(); }

 private:
  using Forms = std::vector<std::string>;  // of one secret
  using Kind = std::deque<Forms>;          // the latest first

  void keep(Kind& kind, Forms forms);
  void rebuild();
  [[nodiscard]] std::size_t length_at(std::string_view text) const;

  Kind tokens_{};
  Kind keys_{};
  Kind proxies_{};
  std::vector<std::string> all_{};   // of all kinds
  std::vector<std::string> long_{};  // of those, what is looked for in objects
  // How far a search goes on from a pair of bytes, by its hash: as far as no secret's first
  // window_ bytes could end there.
  static constexpr std::size_t kPairs = 4096;
  std::array<std::uint8_t, kPairs> steps_{};
  std::size_t window_ = 0;
};

// The chunks of one stream with the secrets in them overwritten, also where a chunk ends within
// one.
class RedactedStream {
 public:
  // What can be told now: of `chunk`, which it changes and points into, and of what was held back.
  [[nodiscard]] std::string_view pass(const SecretsInUse& secrets, std::string& chunk);

  // What was held back, at the end of the stream.
  [[nodiscard]] std::string rest();

 private:
  std::string told_{};  // the last bytes that were told: a secret may begin with them
  std::string held_{};  // what looks like the beginning of a secret
};

}  // namespace elbowroom::api
