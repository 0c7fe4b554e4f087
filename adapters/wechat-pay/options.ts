/** What we must know to speak with WeChat Pay. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { baseUrl, described, oneToThree, secretOf, v, wholeBetween, type AdapterContext } from '@paywright/contract';

const MIN_RSA_BITS = 2048;

/** Of a certificate, in capital letters as `Wechatpay-Serial` has it; compared exactly. */
const CertificateSerial = v.pipe(v.string(), v.regex(/^[0-9A-F]{8,40}$/, '8 to 40 characters of 0–9 and A–F'));
/** What names a key of WeChat Pay: the serial of a platform certificate, or the id of its public key. */
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
    return undefined; // node:crypto's only way to say that it is no key.
  }
}

/** A public key in PEM, by itself or in a certificate; undefined for any other text, or a key that is too short. */
export function readPublicKey(pem: string): KeyObject | undefined {
  // node:crypto would take a private key too.
  return /^\s*-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(pem) ? rsaKey(() => createPublicKey(pem)) : undefined;
}

/** The serial of a certificate as messages spell it; undefined for any other PEM. */
export function serialOf(pem: string): string | undefined {
  if (!pem.trimStart().startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
  try {
    return new X509Certificate(pem).serialNumber.toUpperCase();
  } catch {
    return undefined; // node:crypto's only way to say that it is no certificate.
  }
}

export const PublicKey = v.pipe(
  v.string(),
  v.check((pem) => readPublicKey(pem) !== undefined, 'a public RSA key of at least 2048 bits, or a certificate, in PEM'),
);
export const PrivateKey = secretOf(
  v.pipe(
    v.string(),
    v.check(
      (pem) => pem.trimStart().startsWith('-----BEGIN PRIVATE KEY-----') && rsaKey(() => createPrivateKey(pem)) !== undefined,
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
  sandboxBaseUrl: described(baseUrl, 'API v3 has no test environment: the address of our sandbox alone.'),
  mchid: described(
    v.pipe(v.string(), v.regex(/^\d{8,32}$/, '8 to 32 digits')),
    'Our merchant number; every message names it. Merchant platform, Account centre, Merchant information.',
  ),
  appid: described(
    v.pipe(v.string(), v.regex(/^wx[0-9A-Za-z]{8,30}$/, 'wx, and letters or digits')),
    'The app that the payment belongs to, bound to mchid. Merchant platform, Product centre, AppID accounts.',
  ),
  merchantKey: described(
    v.strictObject({ serial: CertificateSerial, privateKey: PrivateKey }),
    'Signs our requests: apiclient_key.pem, and the serial of its certificate. Account centre, API security, API certificate.',
  ),
  apiV3Keys: described(
    oneToThree(ApiV3Key),
    'Open what WeChat Pay encrypts, the current one first. Account centre, API security, APIv3 key.',
  ),
  platformKeys: described(
    v.pipe(
      v.array(PlatformKey),
      v.maxLength(6, 'at most six keys'),
      v.check((keys) => new Set(keys.map(({ serial }) => serial)).size === keys.length, 'each serial once'),
    ),
    'Keys that WeChat Pay signs with: its public key (PUB_KEY_ID_…), platform certificates known so far; other certificates are asked for. Account centre, API security.',
  ),
  description: described(
    v.pipe(
      v.string(),
      v.nonEmpty('must not be empty'),
      v.check((text) => Buffer.byteLength(text) <= 127, 'at most 127 bytes'),
    ),
    'What the payer reads about the payment in WeChat: the name of the shop. Ours to choose.',
  ),
  minutes: described(
    v.optional(wholeBetween(6, 120, 'minutes'), 30),
    'How long the payer may take, in minutes: 6 to 120. Ours to choose.',
  ),
  h5: described(
    v.optional(v.boolean(), false),
    'Whether payers on a phone go to WeChat by H5, which has to be granted: Product centre, H5 payments.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
