/**
 * The keys by which operators find a payment's payer: words of names, e-mail addresses and phone numbers. They are
 * stored with the payment, in one index. They contain the payer's data as plain text, like the members that they come
 * from, because a hash cannot be searched by its beginning. The erasure of a payer computes them again.
 */
import { toAsciiDigits } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Prefixes that keep the kinds of keys apart. */
export const keyKinds = { name: 'n:', email: 'e:', phone: 'p:' } as const;
export type KeyKind = keyof typeof keyKinds;

/** Limits of the index: a payment has few keys, and each is short. Longer names are found by their first words. */
const maxWords = 6;
const maxLength = 60;

/** Letters that Unicode does not decompose into a plain letter and an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

type PayerMembers = Pick<PaymentRecord, 'client' | 'payerName' | 'payerEmail' | 'payerPhone'>;

export function searchKeysOf({ client, payerName, payerEmail, payerPhone }: PayerMembers): readonly string[] {
  const words = [client.name, payerName].flatMap((name) => nameWords(name ?? ''));
  const phones = [client.phone, payerPhone].flatMap((phone) => phoneKey(phone ?? '') ?? []);
  const emails = [client.email, payerEmail].flatMap((email) => (email ? [emailKey(email)] : []));
  return [
    ...[...new Set(words)].slice(0, maxWords).map((word) => keyKinds.name + word),
    ...[...new Set(emails)].map((email) => keyKinds.email + email),
    ...[...new Set(phones)].map((phone) => keyKinds.phone + phone),
  ];
}

/** The words of a name without case and accents, so that `Muller` finds `Müller`. */
export function nameWords(name: string): readonly string[] {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, (letter) => plainLetters[letter] ?? letter);
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, maxLength));
}

export function emailKey(email: string): string {
  return email.trim().toLowerCase().slice(0, maxLength);
}

/**
 * The digits of a phone number from the last to the first, without leading zeros. So a number is also found without its
 * country code. Undefined if it has too few digits.
 */
export function phoneKey(phone: string): string | undefined {
  const digits = toAsciiDigits(phone).replaceAll(/\D/g, '').replace(/^0+/, '');
  return digits.length < 6 ? undefined : Array.from(digits).toReversed().join('').slice(0, maxLength);
}
