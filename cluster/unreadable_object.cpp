#include "cluster/unreadable_object.h"

namespace elbowroom::cluster {

// What an unreadable pod holds may be all the room that the other pods would have to make.
std::string unreadable_message(const std::map<std::string, std::string, std::less<>>& pods) {
  const auto& [key, why] = *pods.begin();
  std::string words = "pod " + key;
  if (pods.size() > 1) words += " (and " + std::to_string(pods.size() - 1) + " more)";
  return words + " cannot be understood, and so what it holds is not known: " + why;
}

policy::PodDisruptionBudget closed_budget(std::string_view ns, std::string_view name) {
  policy::PodDisruptionBudget closed;
  closed.ns = ns;
  closed.name = name;
  closed.selector = policy::LabelSelector{};
  return closed;
}

}  // namespace elbowroom::cluster
