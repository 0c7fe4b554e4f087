/** Hashes, MACs and comparison in constant time. An empty secret or signature never matches. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * `md5` and `sha1` are legacy: use them only if the protocol offers nothing better. Collisions of MD5 are cheap to
 * make.
 */
export type HashName = 'md5' | 'sha1' | 'sha256' | 'sha512';
type Bytes = string | Uint8Array;

/** The digest of the parts, one after the other; text counts as its UTF-8 bytes. */
export function hash(algorithm: HashName, ...parts: readonly Bytes[]): Buffer {
  const digest = createHash(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** HMAC over the parts, one after the other; text counts as its UTF-8 bytes. Throws a RangeError for an empty key. */
export function hmac(algorithm: HashName, key: Bytes, ...parts: readonly Bytes[]): Buffer {
  if (key.length === 0) throw new RangeError('an empty secret proves nothing');
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** True for equal bytes, compared in constant time; false if either is empty. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}

/** True for equal text, compared in constant time over the UTF-8 bytes; false if either is empty. */
export function sameText(left: string, right: string): boolean {
  return sameBytes(Buffer.from(left), Buffer.from(right));
}

/** Hex of either case for the given number of bytes; undefined for any other text. */
export function readHex(given: string, bytes: number): Buffer | undefined {
  return given.length === bytes * 2 && /^[0-9a-fA-F]+$/.test(given) ? Buffer.from(given, 'hex') : undefined;
}

/** Standard base64 with padding, read strictly; undefined for any other text. */
export function readBase64(given: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(given) || given.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(given, 'base64');
  return bytes.toString('base64') === given ? bytes : undefined;
}

/** base64url without padding, read strictly; undefined for any other text. */
export function readBase64Url(given: string): Buffer | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(given)) return undefined;
  const bytes = Buffer.from(given, 'base64url');
  return bytes.toString('base64url') === given ? bytes : undefined;
}

/**
 * The index of the first secret whose MAC equals `given`, or equals one of several; undefined if none does. Every
 * non-empty secret and every given MAC is tried, so that the time taken does not reveal which one matches. The MAC is
 * computed once for each secret, however many are given.
 */
export function verifyWithAny<S>(
  secrets: readonly S[],
  given: Uint8Array | readonly (Uint8Array | undefined)[] | undefined,
  mac: (secret: S) => Uint8Array,
): number | undefined {
  const candidates = (given instanceof Uint8Array ? [given] : (given ?? [])).filter((one) => one !== undefined);
  if (candidates.length === 0) return undefined;
  let fitting: number | undefined;
  for (const [index, secret] of secrets.entries()) {
    const empty = (typeof secret === 'string' || secret instanceof Uint8Array) && secret.length === 0;
    if (empty) continue;
    const wanted = mac(secret);
    for (const candidate of candidates) if (sameBytes(wanted, candidate)) fitting ??= index;
  }
  return fitting;
}

/** True if `time` is at most `toleranceMs` before or after `now`. The limit itself still counts as fresh. */
export function isFresh(time: number, now: Date, toleranceMs: number): boolean {
  return Math.abs(now.getTime() - time) <= toleranceMs;
}

/**
 * Reads base64 in any of the forms that senders mix: the standard or the URL alphabet, padded or not; undefined for any
 * other text.
 */
export function readAnyBase64(given: string): Buffer | undefined {
  const bare = given.replace(/={1,2}$/, '');
  const isWhole = bare.length === given.length || given.length % 4 === 0;
  if (!isWhole || !/^[A-Za-z0-9+/_-]+$/.test(bare)) return undefined;
  const url = bare.replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(url, 'base64url');
  // Surplus bits in the last character would let two texts represent the same bytes.
  return bytes.toString('base64url') === url ? bytes : undefined;
}

/** The values of one name in a header such as `t=1785801600,v1=5257a8…`, in order and with repeats. */
export function elementsNamed(header: string, name: string): string[] {
  const elements = header.split(',').map((element) => element.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  return elements.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1));
}
