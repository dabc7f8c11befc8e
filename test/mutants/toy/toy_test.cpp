// The tests of toy.cpp: `toy_test NAME` exits 1 where NAME fails.
#include "policy/toy.h"

#include <string>
#include <vector>

int main(int, char** words) {
  const std::string name = words[1];
  std::vector<int> values;
  add(values, 4);
  if (name == "capped") return capped(3, 2) == 2 && capped(1, 2) == 1 ? 0 : 1;
  if (name == "between") return between(1, 1, 3) && !between(3, 1, 3) && !between(0, 1, 3) ? 0 : 1;
  if (name == "add") return values.at(0) == 4 ? 0 : 1;
  if (name == "forever") return forever(3) == 0 ? 0 : 1;
  return four() == 4 ? 77 : 1;
}
