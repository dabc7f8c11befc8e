#include "api/transport/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace elbowroom::api {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

Memory memory_of(std::string_view text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

// For an encrypted key, OpenSSL must not ask for the password on the terminal.
int no_password(char*, int, int, void*) { return 0; }

Certificate certificate_in(std::string_view pem) {
  const Memory memory = memory_of(pem);
  Certificate certificate(PEM_read_bio_X509(memory.get(), nullptr, no_password, nullptr),
                          X509_free);
  ERR_clear_error();
  return certificate;
}

Result<policy::Time> time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) {
    return failure(Code::Denied, "the certificate has no dates that can be read");
  }
  return policy::Time(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace

Result<Validity> validity_of(std::string_view pem) {
  const Certificate certificate = certificate_in(pem);
  if (!certificate) return failure(Code::Denied, "there is no certificate that can be read");
  Validity validity;
  ASSIGN_OR_RETURN(validity.from, time_of(X509_get0_notBefore(certificate.get())));
  ASSIGN_OR_RETURN(validity.until, time_of(X509_get0_notAfter(certificate.get())));
  return validity;
}

Result<void> check_pair(std::string_view certificate_pem, std::string_view key_pem) {
  const Certificate certificate = certificate_in(certificate_pem);
  if (!certificate) return failure(Code::Denied, "there is no certificate that can be read");
  const Memory memory = memory_of(key_pem);
  const Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr),
                EVP_PKEY_free);
  const bool match = key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!key) {
    return failure(Code::Denied, "there is no key that can be read (an encrypted one cannot)");
  }
  if (!match) return failure(Code::Denied, "the key is not the certificate's");
  return {};
}

}  // namespace elbowroom::api
