/**
 * Checks that a callback is verified by the key that it names. A header that names a key, our account or an address is
 * often not signed, so a changed one says nothing new, and only a refusal shows that it is read.
 */
import { X509Certificate } from 'node:crypto';
import type { RawCallback } from '../../callback.ts';
import { bytesOf } from '../compare-request.ts';
import { isObject } from '../difference.ts';
import type { Damaged } from './damage.ts';
import type { Check } from './kit.ts';
import { demandRefused, routeCheck, unsigned, type CheckedRoute } from './route-check.ts';
import { otherText } from './secrets.ts';
import type { Subject } from './subject.ts';

export function keyChecks<Options>(subject: Subject<Options>, route: CheckedRoute<Options>): Check[] {
  const changed = route.goods.flatMap((good) => changedNames(good.raw, namesOf(subject)));
  if (changed.length === 0 && !subject.routeKit(route.name).signedByKeyPair) return [];
  return [
    routeCheck(route, 'is verified by the key, the account and the address that it names', async (good) => {
      if (good.vector.expect.genuine !== true) return unsigned(good);
      const others = changedNames(good.raw, namesOf(subject));
      for (const other of others) {
        await demandRefused(
          subject,
          good,
          other,
          'find the key by the name or address of the callback, and refuse each that is not the provider’s',
        );
      }
      return others.length > 0 ? undefined : `no header of "${good.vector.name}" names a key, an account or an address`;
    }),
  ];
}

/** The callback with another name in each header that names something. */
function changedNames(raw: RawCallback, names: (value: string) => boolean): Damaged[] {
  return raw.headers.flatMap(([name, value], at) => {
    const other = URL.canParse(value) ? withOtherHost(value) : names(value) ? otherText(value) : value;
    const headers = raw.headers.with(at, [name, other]);
    return other === value ? [] : [{ what: `header ${name} being "${other}"`, raw: { ...raw, headers } }];
  });
}

function withOtherHost(address: string): string {
  const url = new URL(address);
  if (url.host === '') return address;
  url.host = 'attacker.example';
  return url.href;
}

/** Whether a text names something of the options, of the provider's half of the keys, or of the standing answers. */
function namesOf<Options>({ file, providerSide }: Subject<Options>): (value: string) => boolean {
  const texts = textsOf([file.options, providerSide]);
  const serials = texts.flatMap(serialsOf);
  const answers = file.standing.flatMap(({ reply }) => (reply ? [bytesOf(reply).toString('latin1')] : []));
  return (value) =>
    value.length >= 6 &&
    (texts.includes(value) ||
      serials.includes(value.toUpperCase()) ||
      answers.some((one) => one.includes(`"${value}"`)));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.values(value).flatMap(textsOf) : [];
}

/** The serial number of a certificate in PEM. */
function serialsOf(text: string): string[] {
  if (!text.includes('BEGIN CERTIFICATE')) return [];
  try {
    return [new X509Certificate(text).serialNumber];
  } catch {
    return []; // A certificate that is broken on purpose.
  }
}
