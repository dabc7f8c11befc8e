#include "daemon/https/server_certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <ctime>
#include <utility>
#include <vector>

#include "base/durable_file.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Certificate = std::unique_ptr<X509, FreeX509>;
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

Bio reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// A key with a passphrase is refused instead of asked for on the terminal.
int no_passphrase(char* /*to*/, int /*size*/, int /*writes*/, void* /*of*/) { return -1; }

std::vector<Certificate> certificates_in(const std::string& text) {
  const Bio from = reader(text);
  std::vector<Certificate> all;
  while (X509* each = PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr)) {
    all.emplace_back(each);
  }
  ERR_clear_error();  // the end of the text is an error, too
  return all;
}

Key key_in(const std::string& text) {
  const Bio from = reader(text);
  Key key(PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

ServerCertificate::Time time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

// Of TLS 1.2: those that authenticate what they encrypt, and whose keys are not kept. TLS 1.3 has
// no others.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

// Chooses HTTP/1.1 where a client names protocols; HTTP/2 is not spoken here.
int choose_http(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* size,
                const unsigned char* offered, unsigned int offered_size, void* /*of*/) {
  static constexpr std::array<unsigned char, 9> kHttp = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  const int made =
      SSL_select_next_proto(&found, size, kHttp.data(), kHttp.size(), offered, offered_size);
  if (made != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Result<ServerCertificate> ServerCertificate::open(CertificateFiles files, Time now) {
  ServerCertificate made(std::move(files));
  made.read_again(now);
  return made;
}

bool ServerCertificate::read_again(Time now) {
  const auto certificate = read_file(files_.certificate, kMostBytes);
  const auto key = read_file(files_.key, kMostBytes);
  for (const auto* each : {&certificate, &key}) {
    if (each->has_value()) continue;
    trouble_ = each->error().message;
    seen_.clear();
    return false;
  }
  const std::string both = *certificate + "\n" + *key;
  // One that is not valid yet, or no more, may be looked at again as time passes.
  if (both == seen_ && trouble_.empty()) return false;
  seen_ = both;
  const auto taken = take(*certificate, *key, now);
  trouble_ = taken ? "" : taken.error().message;
  return taken.has_value();
}

Result<void> ServerCertificate::take(const std::string& certificate, const std::string& key,
                                     Time now) {
  std::vector<Certificate> chain = certificates_in(certificate);
  if (chain.empty()) {
    return failure(Code::Invalid, files_.certificate + ": it holds no certificate in PEM");
  }
  const Key secret = key_in(key);
  if (!secret) {
    return failure(Code::Invalid,
                   files_.key + ": it holds no private key in PEM, or one with a passphrase");
  }
  X509* own = chain.front().get();
  if (X509_check_private_key(own, secret.get()) != 1) {
    ERR_clear_error();
    return failure(Code::Invalid,
                   files_.key + ": it is not the key of the certificate in " + files_.certificate);
  }
  if (time_of(X509_get0_notAfter(own)) <= now) {
    return failure(Code::Invalid, files_.certificate + ": it has expired");
  }
  if (time_of(X509_get0_notBefore(own)) > now) {
    return failure(Code::Invalid, files_.certificate + ": it is not valid yet");
  }
  Context context(SSL_CTX_new(TLS_server_method()));
  bool is_made = context && SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1 &&
                 SSL_CTX_set_cipher_list(context.get(), kCiphers) == 1 &&
                 SSL_CTX_use_certificate(context.get(), own) == 1 &&
                 SSL_CTX_use_PrivateKey(context.get(), secret.get()) == 1;
  for (std::size_t i = 1; is_made && i < chain.size(); ++i) {
    is_made = SSL_CTX_add1_chain_cert(context.get(), chain[i].get()) == 1;
  }
  ERR_clear_error();
  if (!is_made) {
    return failure(Code::Invalid, files_.certificate + ": OpenSSL does not take it for a server");
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  // Otherwise one SSL_read reads messages of TLS itself as long as a client sends them.
  SSL_CTX_clear_mode(context.get(), SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http, nullptr);
  context_ = std::move(context);
  expires_ = time_of(X509_get0_notAfter(own));
  return {};
}

std::string ServerCertificate::trouble(Time now) const {
  if (!trouble_.empty()) {
    return context_ && expires_ > now ? trouble_ + "; the one before is shown" : trouble_;
  }
  return expires_ <= now ? files_.certificate + ": it has expired" : "";
}

}  // namespace elbowroom::daemon
