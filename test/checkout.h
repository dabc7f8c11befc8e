// The paths of the checkout's files and of the built programs, for tests. Only one source contains
// the paths, so all others compile to the same in every checkout.
#pragma once

namespace elbowroom::test {

extern const char* const kData;       // the folder test/
extern const char* const kAgent;      // the program elbowroomd
extern const char* const kScheduler;  // the program elbowroom-scheduler
extern const char* const kRescheduler;

}  // namespace elbowroom::test
