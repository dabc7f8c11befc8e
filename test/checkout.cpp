#include "test/checkout.h"

namespace elbowroom::test {

const char* const kData = TEST_DATA;
const char* const kAgent = TEST_PROGRAMS "/elbowroomd";
const char* const kScheduler = TEST_PROGRAMS "/elbowroom-scheduler";
const char* const kRescheduler = TEST_PROGRAMS "/elbowroom-rescheduler";

}  // namespace elbowroom::test
