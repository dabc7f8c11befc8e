#include "policy/model/image.h"

namespace elbowroom::policy {
namespace {

// FNV-1a.
constexpr std::uint64_t kBasis = 0xcbf29ce484222325U;
constexpr std::uint64_t kPrime = 0x100000001b3U;

std::uint64_t mixed(std::uint64_t from, std::string_view text) {
  for (const char c : text) {
    from ^= static_cast<unsigned char>(c);
    from *= kPrime;
  }
  return from;
}

ImageName fingerprint(std::uint64_t mixed) { return static_cast<ImageName>(mixed >> 1U); }

// A colon behind the last slash begins a tag or a digest; one before it, a port.
bool has_tag(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return last.find(':') != std::string_view::npos;
}

}  // namespace

ImageName image_name(std::string_view name) { return fingerprint(mixed(kBasis, name)); }

ImageName wanted_image(std::string_view name) {
  const std::uint64_t bare = mixed(kBasis, name);
  return fingerprint(has_tag(name) ? bare : mixed(bare, ":latest"));
}

}  // namespace elbowroom::policy
