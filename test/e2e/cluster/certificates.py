"""certificates: a certificate authority of the suite's own and what it signs. All
of it lives in the suite's folder and counts for two days."""
import os
import subprocess
import time


def _openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.certificate = f"{folder}/ca.crt"
        self._key = f"{folder}/ca.key"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                 "-subj", "/CN=elbowroom-e2e", "-keyout", self._key, "-out", self.certificate)
        self._serial = 1

    def issue(self, name, common_name, groups=(), server=False, lasts=None, more=()):
        """(certificate, key) for a user, or for a server on 127.0.0.1 and `more` addresses. `lasts`: seconds from now at
        which it expires; below zero, it has."""
        certificate, key = f"{self.folder}/{name}.crt", f"{self.folder}/{name}.key"
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={common_name}"
        request, extensions = f"{self.folder}/{name}.csr", f"{self.folder}/{name}.ext"
        _openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                 "-keyout", key, "-out", request)
        with open(extensions, "w", encoding="ascii") as file:
            file.write("keyUsage=critical,digitalSignature\n")
            file.write(f"extendedKeyUsage={'serverAuth' if server else 'clientAuth'}\n")
            if server:
                file.write(",".join(["subjectAltName=IP:127.0.0.1,DNS:localhost", *(f"IP:{one}" for one in more)]) + "\n")
        self._serial += 1
        if lasts is None:
            _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-days", "2",
                     "-set_serial", str(self._serial), "-extfile", extensions, "-out", certificate)
        else:
            self._issue_until(time.time() + lasts, request, extensions, certificate)
        return certificate, key

    def _issue_until(self, end, request, extensions, certificate):
        database = f"{self.folder}/database"
        with open(database, "w", encoding="ascii"):
            pass
        config = f"{self.folder}/ca.cnf"
        with open(config, "w", encoding="ascii") as file:
            file.write(f"[ca]\ndefault_ca=own\n[own]\ndatabase={database}\nnew_certs_dir={self.folder}\nrand_serial=yes\n"
                       "default_md=sha256\nunique_subject=no\npolicy=any\n[any]\ncommonName=supplied\n"
                       "organizationName=optional\n")
        begins, ends = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(at)) for at in (end - 86400, end))
        _openssl("ca", "-batch", "-notext", "-config", config, "-cert", self.certificate, "-keyfile", self._key,
                 "-startdate", begins, "-enddate", ends, "-extfile", extensions, "-in", request, "-out", certificate)

    def signing_pair(self):
        """(public, private) key that service account tokens are signed with."""
        private, public = f"{self.folder}/tokens.key", f"{self.folder}/tokens.pub"
        _openssl("genrsa", "-out", private, "2048")
        _openssl("rsa", "-in", private, "-pubout", "-out", public)
        return public, private
