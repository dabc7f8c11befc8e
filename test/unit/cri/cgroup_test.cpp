#include "cri/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "cri/pod_cgroup.h"
#include "test/unit/cri/temp_cgroups.h"

namespace elbowroom::cri {
namespace {

using testing::HasSubstr;

CgroupPath path(const std::string& text) { return CgroupPath::parse(text).value(); }

TEST(CgroupPathParse, TakesPlainPathsOnly) {
  EXPECT_EQ(path("/kubepods/burstable/podu-1").text(), "/kubepods/burstable/podu-1");
  for (const std::string& text :
       {std::string(), std::string("/"), std::string("a/b"), std::string("/a//b"),
        std::string("/a/"), std::string("/a/../b"), std::string("/."), std::string("/a\nb"),
        std::string("/a\0b", 4), "/" + std::string(256, 'x'),
        std::string("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17")}) {
    EXPECT_FALSE(CgroupPath::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(path("/a").child("../b").has_value());
  EXPECT_FALSE(path("/a").child("..").has_value());
  EXPECT_FALSE(path("/a").child("").has_value());
  EXPECT_EQ(path("/a").child("b").value().text(), "/a/b");
}

TEST(CgroupsOpen, AFolderThatIsNoHierarchyIsRefusedWithAWord) {
  const test::TemporaryFolder folder;
  const auto opened = Cgroups::open(folder.path().string());
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::Invalid);
  EXPECT_THAT(opened.error().message, HasSubstr("cgroup.controllers"));
  EXPECT_EQ(Cgroups::open("/nowhere/at/all").error().code, Code::NotFound);
}

TEST(CgroupV1, ReadsWhatTheKernelSays) {
  const TempCgroups tree(CgroupVersion::V1);
  tree.add("/kubepods/podu-1");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  EXPECT_EQ(cgroups.version(), CgroupVersion::V1);
  EXPECT_EQ(cgroups.read(path("/kubepods/podu-1")).value(),
            (RuntimeResources{1024, -1, 100'000, -1}));
  tree.write("cpu/kubepods/podu-1/cpu.cfs_quota_us", "50000\n");
  tree.write("memory/kubepods/podu-1/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(cgroups.read(path("/kubepods/podu-1")).value(),
            (RuntimeResources{1024, 50'000, 100'000, 1 << 20}));
}

TEST(CgroupV1, WritesEachFigureIntoItsFile) {
  const TempCgroups tree(CgroupVersion::V1);
  tree.add("/p");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  ASSERT_TRUE(cgroups.set_cpu_shares(path("/p"), 1).has_value());
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), 50'000, 100'000).has_value());
  ASSERT_TRUE(cgroups.set_memory_limit(path("/p"), 4096).has_value());
  EXPECT_EQ(tree.text("cpu/p/cpu.shares"), "2");
  EXPECT_EQ(tree.text("cpu/p/cpu.cfs_quota_us"), "50000");
  EXPECT_EQ(tree.text("memory/p/memory.limit_in_bytes"), "4096");
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), 2500, 5000).has_value());
  EXPECT_EQ(tree.text("cpu/p/cpu.cfs_period_us"), "5000");
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), 0, 0).has_value());
  ASSERT_TRUE(cgroups.set_memory_limit(path("/p"), 0).has_value());
  EXPECT_EQ(cgroups.read(path("/p")).value(), (RuntimeResources{2, -1, 100'000, -1}));
}

TEST(CgroupV1, SettingSeveralFiguresLeavesTheOthers) {
  const TempCgroups tree(CgroupVersion::V1);
  tree.add("/p");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  ASSERT_TRUE(cgroups.set(path("/p"), {.cpu_quota_us = 50'000}).has_value());
  EXPECT_EQ(cgroups.read(path("/p")).value(), (RuntimeResources{1024, 50'000, 100'000, -1}));
  ASSERT_TRUE(cgroups.set(path("/p"), {512, -1, 0, 8192}).has_value());
  EXPECT_EQ(cgroups.read(path("/p")).value(), (RuntimeResources{512, -1, 100'000, 8192}));
}

TEST(CgroupV2, ReadsAndWritesTheUnifiedFiles) {
  const TempCgroups tree(CgroupVersion::V2);
  tree.add("/p");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  EXPECT_EQ(cgroups.version(), CgroupVersion::V2);
  EXPECT_EQ(cgroups.read(path("/p")).value().cpu_quota_us, -1);
  ASSERT_TRUE(cgroups.set_cpu_shares(path("/p"), 1024).has_value());
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), 50'000, 100'000).has_value());
  ASSERT_TRUE(cgroups.set_memory_limit(path("/p"), 4096).has_value());
  EXPECT_EQ(tree.text("p/cpu.weight"), "39");
  EXPECT_EQ(tree.text("p/cpu.max"), "50000 100000");
  EXPECT_EQ(tree.text("p/memory.max"), "4096");
  const RuntimeResources read = cgroups.read(path("/p")).value();
  EXPECT_EQ(read.cpu_weight, 39);
  EXPECT_EQ(read.cpu_shares, 0);
  EXPECT_EQ(read.cpu_quota_us, 50'000);
  EXPECT_EQ(read.cpu_period_us, 100'000);
  EXPECT_EQ(read.memory_limit_bytes, 4096);
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), -1, 0).has_value());
  ASSERT_TRUE(cgroups.set_memory_limit(path("/p"), -1).has_value());
  EXPECT_EQ(tree.text("p/cpu.max"), "max 100000");
  EXPECT_EQ(tree.text("p/memory.max"), "max");
}

TEST(CgroupV2, HandsTheControllersDownToAGroupThatItMakes) {
  const TempCgroups tree(CgroupVersion::V2);
  tree.add("/kubepods");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  ASSERT_TRUE(cgroups.create(path("/kubepods/podu-1")).has_value());
  EXPECT_TRUE(cgroups.exists(path("/kubepods/podu-1")));
  EXPECT_EQ(tree.text("cgroup.subtree_control"), "+cpu +memory");
  EXPECT_EQ(tree.text("kubepods/cgroup.subtree_control"), "+cpu +memory");
}

TEST(CgroupV1, MakesAndRemovesGroupsAndDoesBothAgain) {
  const TempCgroups tree(CgroupVersion::V1);
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_FALSE(cgroups.exists(path("/a/b")));
    ASSERT_TRUE(cgroups.create(path("/a/b")).has_value());
    ASSERT_TRUE(cgroups.create(path("/a/b")).has_value());
    EXPECT_TRUE(cgroups.exists(path("/a/b")));
    ASSERT_TRUE(cgroups.remove(path("/a/b")).has_value());
    ASSERT_TRUE(cgroups.remove(path("/a/b")).has_value());
  }
}

TEST(Cgroups, AGroupThatIsGoneIsNotFound) {
  const TempCgroups tree(CgroupVersion::V1);
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  EXPECT_EQ(cgroups.read(path("/gone")).error().code, Code::NotFound);
  EXPECT_EQ(cgroups.set_memory_limit(path("/gone"), 1).error().code, Code::NotFound);
  EXPECT_THAT(cgroups.memory_use(path("/gone")).error().message, HasSubstr("/gone"));
}

TEST(Cgroups, LinksAreNotFollowed) {
  const TempCgroups tree(CgroupVersion::V1);
  tree.add("/p");
  const test::TemporaryFolder outside;
  std::filesystem::create_directory_symlink(outside.path(), tree.root() + "/memory/link");
  std::filesystem::create_directory_symlink(outside.path(), tree.root() + "/cpu/link");
  std::ofstream(outside.path() / "secret") << "1";
  std::filesystem::remove(tree.root() + "/memory/p/memory.limit_in_bytes");
  std::filesystem::create_symlink(outside.path() / "secret",
                                  tree.root() + "/memory/p/memory.limit_in_bytes");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  EXPECT_FALSE(cgroups.read(path("/link")).has_value());
  EXPECT_FALSE(cgroups.create(path("/link/x")).has_value());
  EXPECT_FALSE(cgroups.set_memory_limit(path("/p"), 4096).has_value());
  EXPECT_FALSE(std::filesystem::exists(outside.path() / "x"));
}

TEST(Cgroups, FilesWithoutANumberAreAnError) {
  const TempCgroups tree(CgroupVersion::V1);
  tree.add("/p");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  for (const char* text : {"", "x", "12x", "1 2", "-", "-x", "99999999999999999999999", "0x10"}) {
    tree.write("cpu/p/cpu.shares", text);
    const auto read = cgroups.read(path("/p"));
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, Code::Invalid) << text;
    EXPECT_THAT(read.error().message, HasSubstr("cpu.shares"));
  }
}

// Another process reads meanwhile: what it sees is the old value or the new one.
TEST(Cgroups, AWriteNeverLeavesAPlainFileEmpty) {
  const TempCgroups tree(CgroupVersion::V2);
  tree.add("/p");
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  tree.write("p/cpu.max", "150000 100000");
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit nothing{.rlim_cur = 0, .rlim_max = usual.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &nothing), 0);
  const bool is_written = cgroups.set_cpu_quota(path("/p"), 50'000, 100'000).has_value();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  EXPECT_NE(std::signal(SIGXFSZ, handler), SIG_ERR);
  EXPECT_FALSE(is_written);
  EXPECT_EQ(tree.text("p/cpu.max"), "150000 100000");
  // Between the write of a shorter value and the cut.
  tree.write("p/cpu.max", "5000 100000\n0");
  EXPECT_EQ(cgroups.read(path("/p")).value().cpu_period_us, 100'000);
  ASSERT_TRUE(cgroups.set_cpu_quota(path("/p"), 2500, 5000).has_value());
  EXPECT_EQ(tree.text("p/cpu.max"), "2500 5000");
}

TEST(Cgroups, MemoryInUseLeavesOutInactiveFileCache) {
  for (const CgroupVersion version : {CgroupVersion::V1, CgroupVersion::V2}) {
    const bool is_v1 = version == CgroupVersion::V1;
    const TempCgroups tree(version);
    tree.add("/p");
    const std::string folder = is_v1 ? "memory/p/" : "p/";
    tree.write(folder + (is_v1 ? "memory.usage_in_bytes" : "memory.current"), "1000000\n");
    tree.write(folder + "memory.stat",
               "cache 1\ninactive_file_other 9\n" + std::string(is_v1 ? "inactive_file 5\n" : "") +
                   (is_v1 ? "total_inactive_file" : "inactive_file") + " 400000\nlast 1\n");
    const Cgroups cgroups = Cgroups::open(tree.root()).value();
    const MemoryUse use = cgroups.memory_use(path("/p")).value();
    EXPECT_EQ(use, (MemoryUse{1'000'000, 400'000}));
    EXPECT_EQ(use.working_set(), 600'000);
  }
}

TEST(CheckMemoryLimit, ALimitMustBeAboveWhatIsInUse) {
  EXPECT_TRUE(check_memory_limit("pod", 601, {1000, 400}).has_value());
  EXPECT_TRUE(check_memory_limit("pod", 0, {1000, 400}).has_value());
  EXPECT_TRUE(check_memory_limit("pod", 1, {1000, 4000}).has_value());
  const auto refused = check_memory_limit("container \"app\"", 600, {1000, 400});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::Conflict);
  EXPECT_EQ(refused.error().message,
            "attempting to set container \"app\" memory limit (600) below current usage (600)");
}

}  // namespace
}  // namespace elbowroom::cri
