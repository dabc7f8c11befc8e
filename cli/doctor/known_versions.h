// The Kubernetes versions that serve what Elbowroom needs, which patch version of each was run
// (`./dev e2e versions`), and what each lacks, for `elbowroom doctor`. The table in
// docs/compatibility.md says the same in more words; test/docs/versions.py compares the two.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace elbowroom::cli {

struct KnownVersion {
  int minor = 0;
  std::string_view run{};           // "1.37.0"; "": none
  std::string_view server_lacks{};  // "": nothing that we use
  std::string_view kubelet_lacks{};
};

inline constexpr std::array<KnownVersion, 5> kKnownVersions = {{
    {33, "1.33.13",
     "podPreemptionPolicy (a Node's annotation counts in its place), PodGroup, and a lower memory "
     "limit without a restart",
     "a second look at a Deferred resize as soon as there is room: it comes up to 90 s later"},
    {34, "1.34.4", "podPreemptionPolicy (a Node's annotation counts in its place) and PodGroup",
     ""},
    {35, "1.35.4", "podPreemptionPolicy (a Node's annotation counts in its place) and PodGroup",
     ""},
    {36, "1.36.3", "podPreemptionPolicy (a Node's annotation counts in its place)", ""},
    {37, "1.37.0", "", ""},
}};

inline constexpr int kNewestKnownMinor = kKnownVersions.back().minor;  // it was run

// nullptr where it is newer than these.
[[nodiscard]] constexpr const KnownVersion* known_version(int minor) {
  const auto* const found = std::ranges::find(kKnownVersions, minor, &KnownVersion::minor);
  return found == kKnownVersions.end() ? nullptr : found;
}

}  // namespace elbowroom::cli
