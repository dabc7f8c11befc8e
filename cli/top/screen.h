// The screen as a value: what is known of the cluster, and what a person has chosen to see, as
// lines. Nothing here knows a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/top/listing.h"
#include "cli/top/styled_line.h"
#include "cli/top/view.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli::top {

// What `explain` says of a pod.
struct Explained {
  std::string pod{};   // NAMESPACE/NAME
  std::string text{};  // lines of at most 100 columns

  friend bool operator==(const Explained&, const Explained&) = default;
};

struct Scene {
  const policy::Overview& overview;
  std::string_view source{};              // "https://host:6443"
  bool is_complete = true;                // false: lists are read for the first time
  const std::vector<std::string>& notes;  // what is not seen, and why
  const Explained* explained = nullptr;   // the last answer
};

// Exactly view.height lines of at most view.width columns.
[[nodiscard]] std::vector<StyledLine> screen(const Scene& scene, const View& view);

// How many lines of the detail, or of the keys, do not fit.
[[nodiscard]] std::size_t unseen_lines(const Scene& scene, const View& view);

// How many rows of the table are seen at a time.
[[nodiscard]] std::size_t page_of(const Scene& scene, const View& view);

// The first row that is seen, of so many, near the one that was, so that the selected row is seen.
[[nodiscard]] std::size_t first_row(std::size_t first, std::size_t selected, std::size_t rows,
                                    std::size_t page);

// The pod whose explanation the detail shows; "": none is shown, or none explains the row.
[[nodiscard]] std::string wanted_pod(const policy::Overview& overview, const View& view);

// One plain table per tab that has rows, for a reader that is no terminal; nodes always.
[[nodiscard]] std::string plain_tables(const Scene& scene, const View& view);

}  // namespace elbowroom::cli::top
