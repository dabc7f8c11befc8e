#include "api/transport/tls_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

#include <string>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;

TEST(TlsTrouble, NamesTheFileAndTheRemedy) {
  const policy::Time wall{std::chrono::sys_days(std::chrono::year(2026) / 7 / 24)};
  Access access;
  access.authority_file = "/ca.crt";
  access.certificate_file = "/me.crt";
  const auto remedy = [&](const std::string& said, long verdict = 0) {
    return tls_remedy(said, verdict, access, wall);
  };
  EXPECT_THAT(remedy("", X509_V_ERR_CERT_NOT_YET_VALID),
              HasSubstr("clock says 2026-07-24T00:00:00Z: set it if that is behind"));
  EXPECT_THAT(remedy("sslv3 alert certificate expired"),
              HasSubstr("client certificate /me.crt has expired, says the server"));
  EXPECT_THAT(remedy("tlsv1 alert unknown ca"), HasSubstr("does not take client certificate /me"));
  EXPECT_THAT(remedy("tlsv13 alert certificate required"), HasSubstr("does not take"));
  EXPECT_THAT(remedy("", X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN), HasSubstr("nobody in /ca.crt"));
  access = {};
  EXPECT_THAT(remedy("", X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN), HasSubstr("system's authorities"));
  EXPECT_THAT(remedy("tlsv13 alert certificate required"), HasSubstr("name client-certificate"));
  EXPECT_EQ(remedy("tlsv1 alert unknown ca"), "") << "it is not about us";
  EXPECT_EQ(remedy("connection refused"), "");
  access.certificate_pem = "PEM";
  EXPECT_THAT(remedy("alert bad certificate"), HasSubstr("client-certificate-data"));
}

}  // namespace
}  // namespace elbowroom::api
