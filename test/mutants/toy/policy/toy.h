// What the self test changes.
#pragma once

#include <chrono>
#include <vector>

using Time = std::chrono::sys_seconds;

int capped(int value, int cap);
bool between(int value, int low, int high);
void add(std::vector<int>& values, int value);
int unused(int value);
int four();
Time::duration since(Time first, Time last);
int forever(int value);
