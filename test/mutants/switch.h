// The switch of mutants: of all that a build holds, none or one is on. The tool puts this file into
// the copies of the sources that it changes; no source of the project includes it.
#pragma once

// What the changed expressions would be told by a compiler; most of it is their purpose.
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wduplicated-branches"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"

namespace mutants {

// The number of the mutant that is on (ELBOWROOM_MUTANT), -1 for none.
extern int number_on;

// One byte for each mutant, 1 once it is reached: the file ELBOWROOM_MUTANTS_REACHED. Null where
// none is asked for.
extern char* reached;

inline bool is_on(int number) {
  if (reached != nullptr) reached[number] = 1;
  return number == number_on;
}

// What the compiler computes is never changed.
constexpr bool on(int number) {
  if consteval {
    return false;
  } else {
    return is_on(number);
  }
}

}  // namespace mutants
