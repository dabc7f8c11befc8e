// The tests of toy.cpp. `toy_test --gtest_filter=NAME:NAME` says which it runs as a program of
// GoogleTest does, and exits 1 at the first that fails; `toy_test` alone is skipped.
#include "policy/toy.h"

#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

bool holds(const std::string& name) {
  std::vector<int> values;
  add(values, 4);
  if (name == "capped") return capped(3, 2) == 2 && capped(1, 2) == 1;
  if (name == "between") return between(1, 1, 3) && !between(3, 1, 3) && !between(0, 1, 3);
  if (name == "add") return values.at(0) == 4;
  return name == "forever" && forever(3) == 0 && four() == 4;
}

}  // namespace

int main(int, char** words) {
  const char* kFilter = "--gtest_filter=";
  if (words[1] == nullptr || std::strncmp(words[1], kFilter, std::strlen(kFilter)) != 0) return 77;
  std::istringstream names(words[1] + std::strlen(kFilter));
  for (std::string name; std::getline(names, name, ':');) {
    std::cout << "[ RUN      ] " << name << std::endl;
    if (!holds(name)) return 1;
  }
  return 0;
}
