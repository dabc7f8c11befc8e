// A certificate authority for tests, made in memory. Keys are small and new for every test; nothing
// outside the test trusts them.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace elbowroom::api {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

struct Issued {
  KeyPtr key{nullptr, EVP_PKEY_free};
  CertificatePtr certificate{nullptr, X509_free};

  [[nodiscard]] std::string certificate_pem() const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_X509(bio.get(), certificate.get());
    return text_in(bio.get());
  }
  [[nodiscard]] std::string key_pem() const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return text_in(bio.get());
  }

 private:
  static std::string text_in(BIO* bio) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
};

// From when until when, in seconds from now.
struct Dates {
  long from = -3600;
  long until = 3600;
};

class Authority {
 public:
  explicit Authority(const std::string& name, Dates dates = {})
      : self_(make(name, "", nullptr, dates)) {}

  // `alternative`: "DNS:a.example" or "IP:127.0.0.1".
  [[nodiscard]] Issued issue(const std::string& name, const std::string& alternative,
                             Dates dates = {}) const {
    return make(name, alternative, &self_, dates);
  }
  // No other certificate signs it.
  [[nodiscard]] static Issued self_signed(const std::string& name, const std::string& alternative) {
    return make(name, alternative, nullptr, {});
  }
  [[nodiscard]] std::string pem() const { return self_.certificate_pem(); }
  [[nodiscard]] X509* certificate() const { return self_.certificate.get(); }

 private:
  static void extend(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static Issued make(const std::string& name, const std::string& alternative, const Issued* issuer,
                     Dates dates) {
    static int serial = 0;
    Issued made;
    made.key.reset(EVP_EC_gen("P-256"));
    made.certificate.reset(X509_new());
    X509* certificate = made.certificate.get();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), dates.from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), dates.until);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    const X509* by = issuer != nullptr ? issuer->certificate.get() : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(by));
    X509_set_pubkey(certificate, made.key.get());
    extend(certificate, NID_basic_constraints,
           issuer == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (!alternative.empty()) extend(certificate, NID_subject_alt_name, alternative);
    X509_sign(certificate, issuer != nullptr ? issuer->key.get() : made.key.get(), EVP_sha256());
    return made;
  }

  Issued self_;
};

}  // namespace elbowroom::api
