"""certificates: a certificate authority of the suite's own and what it signs. All
of it lives in the suite's folder and counts for two days."""
import os
import subprocess


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

    def issue(self, name, common_name, groups=(), server=False):
        """(certificate, key) for a user, or for a server on 127.0.0.1."""
        certificate, key = f"{self.folder}/{name}.crt", f"{self.folder}/{name}.key"
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={common_name}"
        request, extensions = f"{self.folder}/{name}.csr", f"{self.folder}/{name}.ext"
        _openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                 "-keyout", key, "-out", request)
        with open(extensions, "w", encoding="ascii") as file:
            file.write("keyUsage=critical,digitalSignature\n")
            file.write(f"extendedKeyUsage={'serverAuth' if server else 'clientAuth'}\n")
            if server:
                file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        self._serial += 1
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-days", "2",
                 "-set_serial", str(self._serial), "-extfile", extensions, "-out", certificate)
        return certificate, key

    def signing_pair(self):
        """(public, private) key that service account tokens are signed with."""
        private, public = f"{self.folder}/tokens.key", f"{self.folder}/tokens.pub"
        _openssl("genrsa", "-out", private, "2048")
        _openssl("rsa", "-in", private, "-pubout", "-out", public)
        return public, private
