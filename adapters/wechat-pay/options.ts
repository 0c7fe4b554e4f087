/** Settings needed to call WeChat Pay, and to verify its messages. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { baseUrl, described, oneToThree, secretOf, v, wholeBetween, type AdapterContext } from '@paywright/contract';

const MIN_RSA_BITS = 2048;

/** The serial of a certificate, in capital letters as in `Wechatpay-Serial`. Compared exactly. */
const CertificateSerial = v.pipe(v.string(), v.regex(/^[0-9A-F]{8,40}$/, '8 to 40 characters of 0–9 and A–F'));
/** Names a key of WeChat Pay: the serial of a platform certificate, or the id of a public key. */
export const PlatformSerial = v.pipe(
  v.string(),
  v.regex(/^(?:[0-9A-F]{8,40}|PUB_KEY_ID_\d{8,40})$/, 'a serial of 0–9 and A–F, or PUB_KEY_ID_ and digits'),
);

function rsaKey(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read();
    const isLong = (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
    return key.asymmetricKeyType === 'rsa' && isLong ? key : undefined;
  } catch {
    return undefined; // Node has no other check of the form.
  }
}

/** A public key in PEM, or the key of a certificate; undefined for any other text, and for a key that is too short. */
export function readPublicKey(pem: string): KeyObject | undefined {
  // Node would accept a private key, too.
  return /^\s*-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(pem) ? rsaKey(() => createPublicKey(pem)) : undefined;
}

/** The serial of a certificate, spelled as in messages; undefined for any other PEM. */
export function serialOf(pem: string): string | undefined {
  if (!pem.trimStart().startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
  try {
    return new X509Certificate(pem).serialNumber.toUpperCase();
  } catch {
    return undefined; // Node has no other check of the form.
  }
}

export const PublicKey = v.pipe(
  v.string(),
  v.check(
    (pem) => readPublicKey(pem) !== undefined,
    'a public RSA key of at least 2048 bits, or a certificate, in PEM',
  ),
);
export const PrivateKey = secretOf(
  v.pipe(
    v.string(),
    v.check(
      (pem) =>
        pem.trimStart().startsWith('-----BEGIN PRIVATE KEY-----') && rsaKey(() => createPrivateKey(pem)) !== undefined,
      'a private RSA key of at least 2048 bits, PEM (PKCS#8)',
    ),
  ),
);
const ApiV3Key = secretOf(v.pipe(v.string(), v.regex(/^[0-9A-Za-z]{32}$/, '32 letters and digits')));

const PlatformKey = v.pipe(
  v.strictObject({ serial: PlatformSerial, publicKey: PublicKey }),
  v.check(({ serial, publicKey }) => (serialOf(publicKey) ?? serial) === serial, 'the certificate has another serial'),
);

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api.mch.weixin.qq.com'),
  sandboxBaseUrl: described(baseUrl, 'API v3 has no test environment: only the address of a sandbox fits here.'),
  mchid: described(
    v.pipe(v.string(), v.regex(/^\d{8,32}$/, '8 to 32 digits')),
    'Number of the merchant; every message names it. Merchant platform, Account centre, Merchant information.',
  ),
  appid: described(
    v.pipe(v.string(), v.regex(/^wx[0-9A-Za-z]{8,30}$/, 'wx, and 8 to 30 letters or digits')),
    'The app that receives the payments, bound to mchid. Merchant platform, Product centre, AppID accounts.',
  ),
  merchantKey: described(
    v.strictObject({ serial: CertificateSerial, privateKey: PrivateKey }),
    'Signs our requests: apiclient_key.pem, and the serial of its certificate. Account centre, API security, API certificate.',
  ),
  apiV3Keys: described(
    oneToThree(ApiV3Key),
    'Decrypt the content of messages, the current key first. Account centre, API security, APIv3 key.',
  ),
  platformKeys: described(
    v.pipe(
      v.array(PlatformKey),
      v.maxLength(6, 'at most six keys'),
      v.check((keys) => new Set(keys.map(({ serial }) => serial)).size === keys.length, 'each serial once'),
    ),
    'Keys that WeChat Pay signs with: its public key (PUB_KEY_ID_…), and platform certificates. Certificates that are not listed are downloaded. Account centre, API security.',
  ),
  description: described(
    v.pipe(
      v.string(),
      v.nonEmpty('must not be empty'),
      v.check((text) => Buffer.byteLength(text) <= 127, 'at most 127 bytes'),
    ),
    'The text that the payer sees in WeChat: the name of the shop. Your choice.',
  ),
  minutes: described(
    v.optional(wholeBetween(5, 120, 'minutes'), 30),
    'How long the payer may pay an order, 5 to 120 minutes. Your choice.',
  ),
  h5: described(
    v.optional(v.boolean(), false),
    'true: payers on a phone go to WeChat by H5, which WeChat Pay must grant. false: every payer scans a code. Product centre, H5 payments.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
