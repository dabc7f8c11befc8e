#include "test/checkout.h"

namespace elbowroom::test {

const char* const kData = TEST_DATA;
const char* const kAgent = TEST_PROGRAMS "/elbowroomd";
const char* const kScheduler = TEST_PROGRAMS "/elbowroom-scheduler";

}  // namespace elbowroom::test
