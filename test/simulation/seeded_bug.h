// The bugs that test/simulation/bugs patches into copies of the product's sources.
#pragma once

#include "base/seeded_bug.h"
