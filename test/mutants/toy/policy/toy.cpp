// What the self test changes.
#include "toy.h"

#include <vector>

int capped(int value, int cap) {
  if (value > cap) return cap;
  return value;
}

bool between(int value, int low, int high) { return low <= value && value < high; }

void add(std::vector<int>& values, int value) {
  values.reserve(values.size());
  values.push_back(value);
}

int unused(int value) { return -value; }

template <int kWidth>
int wide() {
  return kWidth;
}

int four() { return wide<4>(); }

Time::duration since(Time first, Time last) { return last - first; }

elbowroom::Width both(elbowroom::Width a, elbowroom::Width b) {
  return a + b;  // no difference of them is declared
}

int forever(int value) {
  while (value > 0) value -= 1;
  return value;
}

static_assert(1 < 2);
