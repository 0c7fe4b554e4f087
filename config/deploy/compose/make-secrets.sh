#!/bin/sh
# Creates everything that compose.yaml reads from compose/secrets: a CA with certificates for mongod and the proxy, the
# key file of the replica set, passwords, and the gateway's keys. Existing files are kept, because only the existing
# encryption key opens the database.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets && cd secrets

if [ ! -e ca.key ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
    -subj '/O=payment gateway/CN=database CA' -keyout ca.key -out ca.pem 2>/dev/null
fi

certificate() { # name, host names of the certificate
  [ -e "$1.pem" ] && return
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/O=payment gateway/CN=$1" \
    -keyout "$1.new" -out "$1.csr" 2>/dev/null
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$2" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
  cat "$1.crt" "$1.new" >"$1.pem"
  rm "$1.new" "$1.csr" "$1.ext" "$1.crt"
}
certificate mongo DNS:mongo1,DNS:mongo2,DNS:mongo3,DNS:localhost
certificate proxy DNS:localhost

[ -e mongo.key ] || openssl rand -base64 512 >mongo.key
if [ ! -e mongo.env ]; then
  printf 'ADMIN_PASSWORD=%s\nGATEWAY_PASSWORD=%s\n' "$(openssl rand -hex 24)" "$(openssl rand -hex 24)" >mongo.env
fi
if [ ! -e gateway.env ]; then
  . ./mongo.env
  cat >gateway.env <<END
MONGODB_URI=mongodb://gateway:$GATEWAY_PASSWORD@mongo1,mongo2,mongo3/gateway?replicaSet=gateway&authSource=admin&tls=true&tlsCAFile=/run/secrets/ca.pem
GATEWAY_ENCRYPTION_KEY=$(openssl rand -base64 32)
GATEWAY_3DS_TOKEN_SECRET=$(openssl rand -hex 32)
# The values come from the provider, see adapters/provider-a/README.md
PROVIDER_A_BASE_URL=
PROVIDER_A_SANDBOX_BASE_URL=
PROVIDER_A_ACCOUNT=
PROVIDER_A_API_KEY=
PROVIDER_A_ITEM_KEY=
PROVIDER_A_RETURN_KEY=
PROVIDER_A_SEAL_KEY=
PROVIDER_A_REFUND_KEY=
END
fi
# The files are mounted directly, and the users of the containers read them.
chmod 0644 ca.pem mongo.pem mongo.key proxy.pem
echo "The secrets are in $PWD. Fill in the values of your providers in gateway.env."
