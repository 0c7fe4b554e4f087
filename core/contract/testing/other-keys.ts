/** The provider's half of key pairs, with other private keys of the same kind: how another sender would sign. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isObject } from './difference.ts';
import type { ProviderSide } from '../sandbox/sandbox-contract.ts';

export function withOtherKeys(side: ProviderSide): ProviderSide {
  return replaceKeys(side) as ProviderSide;
}

function replaceKeys(value: unknown): unknown {
  if (typeof value === 'string') return otherKey(value) ?? value;
  if (Array.isArray(value)) return value.map(replaceKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceKeys(item)]));
}

/** Another private key as PEM or base64 DER, as the given one is spelled; undefined for any other text. */
export function otherKey(text: string): string | undefined {
  const isPem = text.includes('PRIVATE KEY-----');
  if (!isPem && !/^MI[\w+/=]{60,}$/.test(text)) return undefined;
  const key = readKey(isPem ? text : Buffer.from(text, 'base64'));
  if (!key) return undefined;
  const other = generateLike(key);
  if (isPem) return other.export({ type: 'pkcs8', format: 'pem' }).toString();
  return other.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

function readKey(key: string | Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(typeof key === 'string' ? key : { key, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined; // A public key or a certificate: no signature is made with it.
  }
}

/** One key of each kind is enough, because making an RSA key takes long. */
const made = new Map<string, KeyObject>();

function generateLike({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): KeyObject {
  const { modulusLength = 2048, namedCurve = 'P-256' } = asymmetricKeyDetails;
  const kind = `${asymmetricKeyType} ${modulusLength} ${namedCurve}`;
  const known = made.get(kind);
  if (known) return known;
  const { privateKey } = makeKeyPair(asymmetricKeyType, modulusLength, namedCurve);
  made.set(kind, privateKey);
  return privateKey;
}

function makeKeyPair(type: KeyObject['asymmetricKeyType'], modulusLength: number, namedCurve: string) {
  if (type === 'ec') return generateKeyPairSync('ec', { namedCurve });
  if (type === 'ed25519') return generateKeyPairSync('ed25519');
  if (type === 'ed448') return generateKeyPairSync('ed448');
  return type === 'rsa-pss'
    ? generateKeyPairSync('rsa-pss', { modulusLength })
    : generateKeyPairSync('rsa', { modulusLength });
}
