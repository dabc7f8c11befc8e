// Reduces a failing list to a short one that still fails, by delta debugging. No single element of
// the result can be left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace elbowroom::test {

// `fails` must hold for `list`, give the same answer each time, and is asked at most `most` times.
template <class T>
[[nodiscard]] std::vector<T> shrink(std::vector<T> list,
                                    const std::function<bool(const std::vector<T>&)>& fails,
                                    std::size_t most = 2000) {
  std::size_t asked = 0;
  std::size_t size = std::max<std::size_t>(list.size() / 2, 1);
  while (!list.empty() && asked < most) {
    bool cut = false;
    for (std::size_t from = 0; from < list.size() && asked < most;) {
      std::vector<T> rest(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(from));
      const std::size_t behind = std::min(from + size, list.size());
      rest.insert(rest.end(), list.begin() + static_cast<std::ptrdiff_t>(behind), list.end());
      ++asked;
      if (fails(rest)) {
        list = std::move(rest);
        cut = true;
      } else {
        from += size;
      }
    }
    if (size == 1 && !cut) break;
    if (!cut || size > list.size()) size = std::max<std::size_t>(size / 2, 1);
  }
  return list;
}

}  // namespace elbowroom::test
