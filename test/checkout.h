// Where a test finds the checkout's files and the programs that were built. One source knows the
// paths, so that all others compile to the same in every checkout.
#pragma once

namespace elbowroom::test {

extern const char* const kData;       // the folder test/
extern const char* const kAgent;      // the program elbowroomd
extern const char* const kScheduler;  // the program elbowroom-scheduler

}  // namespace elbowroom::test
