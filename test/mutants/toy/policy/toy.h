// What the self test changes.
#pragma once

#include <chrono>
#include <vector>

using Time = std::chrono::sys_seconds;

namespace elbowroom {
struct Width {
  int of = 0;
};
inline Width operator+(Width a, Width b) { return {a.of + b.of}; }
}  // namespace elbowroom

int capped(int value, int cap);
bool between(int value, int low, int high);
void add(std::vector<int>& values, int value);
int unused(int value);
int four();
Time::duration since(Time first, Time last);
elbowroom::Width both(elbowroom::Width a, elbowroom::Width b);
int forever(int value);
