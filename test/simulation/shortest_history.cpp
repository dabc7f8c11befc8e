#include "test/simulation/shortest_history.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace elbowroom::test {

std::string kind_of(const std::string& broken) {
  std::istringstream words(broken.substr(0, broken.find('(')));
  std::string kind;
  for (std::string word; words >> word;) {
    const bool is_name =
        word.starts_with("sched-") ||
        std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_name) kind += word + " ";
  }
  return kind;
}

}  // namespace elbowroom::test
