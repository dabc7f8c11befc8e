#include "policy/model/resources.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::policy {
namespace {

TEST(Resources, AnAmountOfZeroIsNoAmount) {
  for (const std::string name : {"cpu", "memory", "ephemeral-storage", "example.com/gpu"}) {
    Resources of;
    set_amount(of, name, 0);
    EXPECT_EQ(of, Resources()) << name;
    set_amount(of, name, 3);
    EXPECT_EQ(amount_of(of, name), 3) << name;
    EXPECT_FALSE(is_zero(of)) << name;
    set_amount(of, name, 0);
    EXPECT_EQ(of, Resources()) << name;
  }
}

}  // namespace
}  // namespace elbowroom::policy
