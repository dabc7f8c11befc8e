// The priority classes of the input, with those that every cluster has. Source: kubernetes
// plugin/pkg/admission/priority: the system classes, and the lowest of several global defaults.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/codec/decode_priority_class.h"

namespace elbowroom::cli {

class PriorityClasses {
 public:
  PriorityClasses();

  // A system class of the input counts, too.
  void add(api::PriorityClass added);

  // The class of a pod or pod group that names this one; "" returns the global default. nullptr:
  // there is none.
  [[nodiscard]] const api::PriorityClass* find(std::string_view named) const;

 private:
  std::map<std::string, api::PriorityClass, std::less<>> by_name_{};
};

}  // namespace elbowroom::cli
