/** The signature of a webhook item: HMAC-SHA256 over eight of its members, joined by colons, in base64. */
import { hmac, readBase64, verifyWithAny } from '@paywright/contract';

/** The members that the signature covers. */
export interface SignedMembers {
  readonly pspReference: string;
  readonly originalReference?: string | null | undefined;
  readonly merchantAccountCode: string;
  readonly merchantReference: string;
  readonly amount: { readonly value: string; readonly currency: string };
  readonly eventCode: string;
  readonly success: string;
}

function membersOf(item: SignedMembers): readonly string[] {
  const { pspReference, originalReference, merchantAccountCode, merchantReference, amount, eventCode, success } = item;
  const { value, currency } = amount;
  return [
    pspReference,
    originalReference ?? '',
    merchantAccountCode,
    merchantReference,
    value,
    currency,
    eventCode,
    success,
  ];
}

export function itemSignature(hmacKey: string, item: SignedMembers): Buffer {
  return signatureOf(hmacKey, membersOf(item));
}

function signatureOf(hmacKey: string, members: readonly string[]): Buffer {
  return hmac('sha256', Buffer.from(hmacKey, 'hex'), members.join(':'));
}

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll(':', '\\:');

/**
 * True if a member contains the separator: the joined text could be split differently. None of our values contains it.
 */
export function isAmbiguous(item: SignedMembers): boolean {
  return membersOf(item).some((member) => /[:\\]/.test(member));
}

/**
 * The index of the key that made the signature. Adyen's libraries differ on escaping; only ambiguous items show the
 * difference.
 */
export function verifyItem(hmacKeys: readonly string[], item: SignedMembers, signature: string): number | undefined {
  const members = membersOf(item);
  const given = readBase64(signature);
  const verify = (signed: readonly string[]) => verifyWithAny(hmacKeys, given, (key) => signatureOf(key, signed));
  return verify(members) ?? (isAmbiguous(item) ? verify(members.map(escape)) : undefined);
}
