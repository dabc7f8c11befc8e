#include "scheduler/placing/assume_cache.h"

#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using cluster::PackedPod;
using policy::Pod;

Pod pending(const std::string& name) {
  Pod pod = test::running_pod(name, 1000);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  return pod;
}

Pod applied(AssumeCache& promises, const Pod& shown, bool is_being_written = false) {
  return promises.applied(PackedPod::packed(shown), is_being_written).unpacked();
}

TEST(AssumeCache, ABindingIsBelievedUntilItIsShown) {
  AssumeCache promises;
  Pod web = pending("web");
  EXPECT_EQ(applied(promises, web).node, "");
  promises.bind(web, "node-1");
  web.labels["app"] = "web";
  EXPECT_EQ(applied(promises, web).node, "node-1");
  EXPECT_EQ(promises.bound_to("default/web", web.uid), "node-1");
  web.node = "node-1";
  EXPECT_EQ(applied(promises, web).node, "node-1");
  EXPECT_EQ(promises.size(), 0U);
}

TEST(AssumeCache, AnswersAboutAnotherPodOfThatNameAreNotHeeded) {
  AssumeCache promises;
  const Pod web = pending("web");
  promises.bind(web, "node-1");
  promises.bound("default/web", "another", "node-1");
  EXPECT_FALSE(promises.is_bound("default/web", web.uid));
  promises.bound("default/web", web.uid, "node-2");
  EXPECT_FALSE(promises.is_bound("default/web", web.uid));
  promises.bound("default/web", web.uid, "node-1");
  EXPECT_TRUE(promises.is_bound("default/web", web.uid));
  EXPECT_FALSE(promises.is_bound("default/web", "another"));
}

TEST(AssumeCache, WhatIsTakenBackIsAsItWasShownLast) {
  AssumeCache promises;
  Pod web = pending("web");
  promises.bind(web, "node-1");
  web.labels["app"] = "web";
  (void)applied(promises, web);
  const auto back = promises.take_back_binding("default/web");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->unpacked(), cluster::as_packed(web));
  EXPECT_FALSE(promises.take_back_binding("default/web"));
  EXPECT_EQ(promises.size(), 0U);
}

TEST(AssumeCache, ANominationOutlivesABindingThatFailed) {
  AssumeCache promises;
  Pod web = pending("web");
  promises.nominate(web, "node-2");
  web.nominated_node = "node-2";
  promises.bind(web, "node-1");
  const auto back = promises.take_back_binding("default/web");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->unpacked().node, "");
  EXPECT_EQ(back->unpacked().nominated_node, "node-2");
  const auto none = promises.take_back_nomination("default/web");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->unpacked().nominated_node, "");
}

// The write of the nomination is in flight, the write of its end waits: what the watch shows is
// older than both.
TEST(AssumeCache, WhatIsOnItsWayIsNotTakenForShown) {
  AssumeCache promises;
  Pod web = pending("web");
  promises.nominate(web, "node-1");
  promises.nominate(web, "");
  EXPECT_EQ(applied(promises, web, true).nominated_node, "");
  Pod begun = web;
  begun.nominated_node = "node-1";
  EXPECT_EQ(applied(promises, begun, true).nominated_node, "");
  EXPECT_EQ(applied(promises, web, true).nominated_node, "");
  EXPECT_EQ(promises.size(), 1U);
  promises.all_written("default/web", "another");
  EXPECT_EQ(promises.size(), 1U);
  promises.all_written("default/web", web.uid);
  EXPECT_EQ(promises.size(), 0U) << "it is shown";
}

TEST(AssumeCache, WhatIsWrittenAndNotShownYetIsBelieved) {
  AssumeCache promises;
  Pod web = pending("web");
  promises.nominate(web, "node-1");
  EXPECT_EQ(applied(promises, web, true).nominated_node, "node-1");
  promises.all_written("default/web", web.uid);
  EXPECT_EQ(applied(promises, web).nominated_node, "node-1");
  web.nominated_node = "node-1";
  EXPECT_EQ(applied(promises, web).nominated_node, "node-1");
  EXPECT_EQ(promises.size(), 0U);
}

TEST(AssumeCache, AnotherPodOfThatNameIsPromisedNothing) {
  AssumeCache promises;
  Pod web = pending("web");
  promises.bind(web, "node-1");
  web.uid = "another";
  EXPECT_EQ(applied(promises, web).node, "");
  EXPECT_EQ(promises.size(), 0U);
}

TEST(AssumeCache, ANominationThatWasNotWrittenIsOwedOnce) {
  AssumeCache promises;
  const Pod web = pending("web");
  promises.nominate(web, "node-2");
  promises.not_written("default/web", web.uid, "");  // an earlier one
  EXPECT_FALSE(promises.take_unwritten("default/web", web.uid));
  promises.not_written("default/web", web.uid, "node-2");
  EXPECT_FALSE(promises.take_unwritten("default/web", "another"));
  EXPECT_EQ(promises.take_unwritten("default/web", web.uid), "node-2");
  EXPECT_FALSE(promises.take_unwritten("default/web", web.uid));
  EXPECT_EQ(applied(promises, web).nominated_node, "node-2");
}

}  // namespace
}  // namespace elbowroom::scheduler
