#include "cri/pod_cgroup.h"

#include <gtest/gtest.h>

#include "test/unit/cri/temp_cgroups.h"

namespace elbowroom::cri {
namespace {

using policy::Bytes;
using policy::MilliCpu;
using policy::PodBounds;
using policy::PodSetting;
using policy::Qos;

struct Named {
  CgroupDriver driver;
  Qos qos;
  const char* parent;
  const char* path;
  const char* container;
};

TEST(PodCgroupNames, AreThoseOfTheDriver) {
  const Named rows[] = {
      {CgroupDriver::Cgroupfs, Qos::Guaranteed, "/kubepods/poda-1", "/kubepods/poda-1",
       "/kubepods/poda-1/c1"},
      {CgroupDriver::Cgroupfs, Qos::Burstable, "/kubepods/burstable/poda-1",
       "/kubepods/burstable/poda-1", "/kubepods/burstable/poda-1/c1"},
      {CgroupDriver::Cgroupfs, Qos::BestEffort, "/kubepods/besteffort/poda-1",
       "/kubepods/besteffort/poda-1", "/kubepods/besteffort/poda-1/c1"},
      {CgroupDriver::Systemd, Qos::Guaranteed, "kubepods-poda_1.slice",
       "/kubepods.slice/kubepods-poda_1.slice",
       "/kubepods.slice/kubepods-poda_1.slice/cri-containerd-c1.scope"},
      {CgroupDriver::Systemd, Qos::Burstable, "kubepods-burstable-poda_1.slice",
       "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda_1.slice",
       "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda_1.slice/"
       "cri-containerd-c1.scope"},
      {CgroupDriver::Systemd, Qos::BestEffort, "kubepods-besteffort-poda_1.slice",
       "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-poda_1.slice",
       "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-poda_1.slice/"
       "cri-containerd-c1.scope"},
  };
  for (const Named& row : rows) {
    EXPECT_EQ(cgroup_parent_of(row.driver, row.qos, "a-1").value(), row.parent);
    const CgroupPath pod = pod_cgroup_of(row.driver, row.qos, "a-1").value();
    EXPECT_EQ(pod.text(), row.path);
    EXPECT_EQ(container_cgroup_of(row.driver, pod, "c1", "containerd").value().text(),
              row.container);
    EXPECT_EQ(driver_of(row.parent), row.driver);
  }
  const CgroupPath pod = pod_cgroup_of(CgroupDriver::Systemd, Qos::Guaranteed, "a").value();
  EXPECT_EQ(container_cgroup_of(CgroupDriver::Systemd, pod, "c1", "cri-o").value().text(),
            "/kubepods.slice/kubepods-poda.slice/crio-c1.scope");
}

TEST(PodCgroupNames, AUidThatCouldLeaveItsFolderIsRefused) {
  for (const char* uid : {"", "..", "a/b", "../../x", "a b", "a\n", ".a"}) {
    EXPECT_FALSE(pod_cgroup_of(CgroupDriver::Cgroupfs, Qos::Burstable, uid).has_value()) << uid;
    EXPECT_FALSE(cgroup_parent_of(CgroupDriver::Systemd, Qos::Burstable, uid).has_value()) << uid;
    const CgroupPath pod = CgroupPath::parse("/p").value();
    EXPECT_FALSE(container_cgroup_of(CgroupDriver::Cgroupfs, pod, uid, "").has_value()) << uid;
  }
}

struct PodCgroupFiles : testing::TestWithParam<CgroupVersion> {
  TempCgroups tree{GetParam()};
  CgroupPath pod = CgroupPath::parse("/kubepods/podu-1").value();
  PodCgroupFiles() {
    tree.add("/kubepods");
    tree.add("/kubepods/podu-1");
  }
};

TEST_P(PodCgroupFiles, HoldWhatWasSetAndReadBackAsAllocated) {
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  for (const PodBounds& bounds :
       {PodBounds{{1001}, MilliCpu{1501}, Bytes{8192}}, PodBounds{{1}, MilliCpu{3}, {}},
        PodBounds{{0}, {}, {}}, PodBounds{{300'000}, {}, Bytes{1 << 30}}}) {
    ASSERT_TRUE(create_pod_cgroup(cgroups, pod, bounds).has_value());
    EXPECT_EQ(read_bounds(cgroups, pod, bounds).value(), bounds);
  }
}

TEST_P(PodCgroupFiles, AStepSetsOneFigureOnly) {
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  const PodBounds small{{1000}, MilliCpu{1000}, Bytes{4096}};
  const PodBounds large{{2000}, MilliCpu{2000}, Bytes{8192}};
  ASSERT_TRUE(create_pod_cgroup(cgroups, pod, small).has_value());
  ASSERT_TRUE(set_pod(cgroups, pod, {PodSetting::MemoryLimit, large}).has_value());
  EXPECT_EQ(read_bounds(cgroups, pod, small).value(),
            (PodBounds{{1000}, MilliCpu{1000}, Bytes{8192}}));
  ASSERT_TRUE(set_pod(cgroups, pod, {PodSetting::CpuLimit, large}).has_value());
  EXPECT_EQ(read_bounds(cgroups, pod, small).value(),
            (PodBounds{{1000}, MilliCpu{2000}, Bytes{8192}}));
  ASSERT_TRUE(set_pod(cgroups, pod, {PodSetting::CpuRequest, large}).has_value());
  EXPECT_EQ(read_bounds(cgroups, pod, large).value(), large);
}

TEST_P(PodCgroupFiles, OfAGroupThatIsGoneSaySo) {
  const Cgroups cgroups = Cgroups::open(tree.root()).value();
  const CgroupPath gone = CgroupPath::parse("/kubepods/podgone").value();
  EXPECT_EQ(read_bounds(cgroups, gone, {}).error().code, Code::NotFound);
  EXPECT_EQ(set_pod(cgroups, gone, {}).error().code, Code::NotFound);
}

INSTANTIATE_TEST_SUITE_P(BothVersions, PodCgroupFiles,
                         testing::Values(CgroupVersion::V1, CgroupVersion::V2),
                         [](const auto& version) {
                           return version.param == CgroupVersion::V1 ? "V1" : "V2";
                         });

}  // namespace
}  // namespace elbowroom::cri
