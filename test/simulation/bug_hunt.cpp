#include "test/simulation/bug_hunt.h"

namespace elbowroom {
inline namespace with_bugs {

SeededBug& seeded_bug() {
  static SeededBug bug = SeededBug::None;
  return bug;
}

}  // namespace with_bugs
}  // namespace elbowroom
