// A visitor of a variant made of lambdas, one for each alternative; std::visit takes it.
#pragma once

namespace elbowroom {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

}  // namespace elbowroom
