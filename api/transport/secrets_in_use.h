// Finds secrets that are, or were recently, sent to a server or a proxy, and redacts them in what
// comes back. A secret is overwritten with the same length, so the JSON or protobuf around it stays
// intact.
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
  // Shorter secrets cannot be distinguished from ordinary words, and are ignored.
  static constexpr std::size_t kShortest = 4;
  // Shorter secrets may be part of an object's name or label. They are redacted only in a server's
  // explanation of a failure, not in objects.
  static constexpr std::size_t kShortestInObjects = 16;

  // Each of these keeps the latest eight secrets of its kind, because secrets rotate. A token:
  void add_token(std::string_view token);
  // The private keys in a PEM text: each of their lines.
  void add_keys(std::string_view pem);
  // The password in a proxy's URL, and the encoded forms that are sent.
  void add_proxy(std::string_view url);

  // Overwrites every secret: "[redacted*****]".
  void redact(std::string& text) const;
  // Overwrites secrets of at least kShortestInObjects bytes, at a few GB a second.
  void redact_objects(std::string& text) const;
  // Redacts the body. A successful response contains objects.
  void redact_body(Response& response) const;

  // How many bytes at the end of the text may be the beginning of a secret that redact_objects()
  // redacts; 0 if they are fewer than kHeld.
  static constexpr std::size_t kHeld = 4;
  [[nodiscard]] std::size_t open_end(std::string_view text) const;
  // Whether redact_objects() has anything to redact.
  [[nodiscard]] bool seeks_in_objects() const { return !long_.empty(); }

 private:
  using Forms = std::vector<std::string>;  // of one secret
  using Kind = std::deque<Forms>;          // latest first

  void keep(Kind& kind, Forms forms);
  void rebuild();
  [[nodiscard]] std::size_t length_at(std::string_view text) const;

  Kind tokens_{};
  Kind keys_{};
  Kind proxies_{};
  std::vector<std::string> all_{};   // of all kinds
  std::vector<std::string> long_{};  // those that are redacted in objects
  // By the hash of two bytes: how far the search can advance because no secret's first window_
  // bytes can end there.
  static constexpr std::size_t kPairs = 4096;
  std::array<std::uint8_t, kPairs> steps_{};
  std::size_t window_ = 0;
};

// Redacts the chunks of one stream, including secrets that span chunks.
class RedactedStream {
 public:
  // The bytes that can be delivered now: from `chunk`, which is modified and referred to, and from
  // what was held back.
  [[nodiscard]] std::string_view pass(const SecretsInUse& secrets, std::string& chunk);

  // What was held back, at the end of the stream.
  [[nodiscard]] std::string rest();

 private:
  std::string told_{};  // the last delivered bytes: a secret may begin with them
  std::string held_{};  // what looks like the beginning of a secret
};

}  // namespace elbowroom::api
