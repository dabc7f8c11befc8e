#include "test/simulation/bug_hunt.h"

namespace elbowroom {

SeededBug& seeded_bug() {
  static SeededBug bug = SeededBug::None;
  return bug;
}

}  // namespace elbowroom
