#include "page/amount.h"

#include <gtest/gtest.h>

namespace elbowroom::page {
namespace {

TEST(AmountText, OfCpu) {
  EXPECT_EQ(amount_text("cpu", 0), "0m");
  EXPECT_EQ(amount_text("cpu", 250), "250m");
  EXPECT_EQ(amount_text("cpu", 1000), "1");
  EXPECT_EQ(amount_text("cpu", 3560), "3.5");
  EXPECT_EQ(amount_text("cpu", 128'900), "128");
}

TEST(AmountText, OfBytes) {
  EXPECT_EQ(amount_text("memory", 1023), "1023");
  EXPECT_EQ(amount_text("memory", 8'130'244LL * 1024), "7.7Gi");
  EXPECT_EQ(amount_text("memory", (1LL << 30) - 1), "1023Mi");
  EXPECT_EQ(amount_text("memory", policy::kMaxAmount), "7.9Ei");
  EXPECT_EQ(amount_text("hugepages-2Mi", 4 << 20), "4Mi");
}

TEST(AmountText, OfPieces) { EXPECT_EQ(amount_text("example.com/gpu", 3), "3"); }

TEST(AmountsText, NamesEach) {
  EXPECT_EQ(amounts_text({}), "nothing");
  EXPECT_EQ(amounts_text({.cpu = {1500}, .memory = {2LL << 30}}), "cpu 1.5, memory 2Gi");
}

TEST(Thousandths, AreWithinTheWhole) {
  EXPECT_EQ(thousandths(0, 0), 0);
  EXPECT_EQ(thousandths(1, 4), 250);
  EXPECT_EQ(thousandths(5, 4), 1000);
  EXPECT_EQ(thousandths(policy::kMaxAmount - 1, policy::kMaxAmount), 1000);
  EXPECT_EQ(thousandths(policy::kMaxAmount / 2, policy::kMaxAmount), 500);
}

}  // namespace
}  // namespace elbowroom::page
