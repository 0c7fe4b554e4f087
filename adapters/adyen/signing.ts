/** The signature of a webhook item: HMAC-SHA256 over eight of its members, joined by colons, in base64. */
import { hmac, JsonNumber, readBase64, v, verifyWithAny } from '@paywright/contract';

/** The signature covers the text of a member, however JSON spells it, and nothing for a member that is absent. */
const text = v.pipe(v.optional(v.unknown(), null), v.transform(toText));

export function toText(member: unknown): string {
  if (member instanceof JsonNumber) return member.text;
  return typeof member === 'string' || typeof member === 'boolean' ? String(member) : '';
}

const noAmount = { value: '', currency: '' };

/** The members that the signature covers. Adyen leaves out those that an event does not have, or sends null. */
export const SignedMembers = v.object({
  pspReference: text,
  originalReference: text,
  merchantAccountCode: text,
  merchantReference: text,
  amount: v.fallback(v.optional(v.object({ value: text, currency: text }), noAmount), noAmount),
  eventCode: text,
  success: text,
});
export type SignedMembers = Omit<v.InferOutput<typeof SignedMembers>, 'originalReference'> & {
  readonly originalReference?: string | undefined;
};

function membersOf(item: SignedMembers): readonly string[] {
  const { pspReference, originalReference = '', merchantAccountCode, merchantReference, amount } = item;
  const { value, currency } = amount;
  const { eventCode, success } = item;
  return [pspReference, originalReference, merchantAccountCode, merchantReference, value, currency, eventCode, success];
}

export function itemSignature(hmacKey: string, item: SignedMembers): Buffer {
  return signatureOf(hmacKey, membersOf(item));
}

function signatureOf(hmacKey: string, members: readonly string[]): Buffer {
  return hmac('sha256', Buffer.from(hmacKey, 'hex'), members.join(':'));
}

/** Adyen's longest signed member has 80 characters. Escaping a megabyte for each key would cost 160 ms. */
const maxSignedLength = 1000;

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
  if (members.some(({ length }) => length > maxSignedLength)) return undefined;
  const given = readBase64(signature);
  const verify = (signed: readonly string[]) => verifyWithAny(hmacKeys, given, (key) => signatureOf(key, signed));
  return verify(members) ?? (isAmbiguous(item) ? verify(members.map(escape)) : undefined);
}
