/** Settings needed to call G. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { baseUrl, described, oneToThree, readBase64, secretOf, v, type AdapterContext } from '@paywright/contract';

const MIN_RSA_BITS = 2048;

/** Names a key of G or of ours; compared exactly. */
export const Serial = v.pipe(v.string(), v.regex(/^[0-9A-F]{8,40}$/, '8 to 40 characters of 0–9 and A–F'));

/** Parses an RSA key of sufficient length; undefined for any other text. */
function readRsaKey(pem: string, label: string, read: (pem: string) => KeyObject): KeyObject | undefined {
  // node:crypto would accept other forms too, for example a private key instead of a public one.
  if (!pem.trimStart().startsWith(`-----BEGIN ${label}-----`)) return undefined;
  try {
    const key = read(pem);
    const isLong = (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
    return key.asymmetricKeyType === 'rsa' && isLong ? key : undefined;
  } catch {
    return undefined; // This is how node:crypto reports that the text is not a key.
  }
}

/** Parses a public RSA key of at least 2048 bits in PEM (SPKI); undefined for any other text. */
export function readPublicKey(pem: string): KeyObject | undefined {
  return readRsaKey(pem, 'PUBLIC KEY', createPublicKey);
}

function isPrivateKey(pem: string): boolean {
  return readRsaKey(pem, 'PRIVATE KEY', createPrivateKey) !== undefined;
}

export const PublicKey = v.pipe(
  v.string(),
  v.check((pem) => readPublicKey(pem) !== undefined, 'a public RSA key of at least 2048 bits, PEM (SPKI)'),
);
export const PrivateKey = secretOf(
  v.pipe(v.string(), v.check(isPrivateKey, 'a private RSA key of at least 2048 bits, PEM (PKCS#8)')),
);
const BoxKey = secretOf(
  v.pipe(
    v.string(),
    v.check((text) => readBase64(text)?.length === 32, 'base64 of exactly 32 bytes'),
  ),
);

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. G console, Integration, Endpoints.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. G console, Integration, Endpoints.'),
  merchantId: described(
    v.pipe(v.string(), v.regex(/^[A-Z0-9]{4,20}$/, '4 to 20 capital letters and digits')),
    'Our account at G; `mid` in every message. G console, Account.',
  ),
  merchantKey: described(
    v.strictObject({ serial: Serial, privateKey: PrivateKey }),
    'Signs requests to G. Create the pair yourself and upload the public half in the G console, Keys, Merchant keys, which shows its serial.',
  ),
  boxKeys: described(
    oneToThree(BoxKey),
    'AES keys of the boxes, the current one first: it encrypts our boxes, each may decrypt G’s. G console, Keys, Box keys.',
  ),
  providerKeys: described(
    v.pipe(
      v.array(v.strictObject({ serial: Serial, publicKey: PublicKey })),
      v.minLength(1, 'one to six keys'),
      v.maxLength(6, 'one to six keys'),
      v.check((keys) => new Set(keys.map(({ serial }) => serial)).size === keys.length, 'each serial once'),
    ),
    'Public keys of G that are known already. Others are fetched from G by their serial. G console, Keys, Keys of G.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
