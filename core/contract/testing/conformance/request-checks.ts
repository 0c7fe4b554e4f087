/** Checks the requests of a submission: the same request every time, exact money, and only through core's client. */
import * as v from 'valibot';
import { currencyCodes, decimalsOf } from '../../money/currencies.ts';
import { readPairs } from '../../read/form.ts';
import { formatAmount, toMinor, trimDecimal, type Money } from '../../money/money.ts';
import type { HttpRequest } from '../../provider.ts';
import { shown } from '../difference.ts';
import { noAnswer } from '../scripted-provider.ts';
import { demand, freshParts, type Check, type Kit } from './kit.ts';
import { differencesOf } from './request-bytes.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { withOtherReference, type GoodSubmission, type Subject } from './subject.ts';
import { observeWork, withClockShifted } from './watch.ts';

/**
 * Amounts by decimals: ordinary ones, ones that binary fractions cannot express, and the longest that the interface
 * accepts.
 */
const amounts: Readonly<Record<number, readonly string[]>> = {
  0: ['2590', '7', '123456789012345'],
  2: ['25.9', '19.99', '8.2', '1.15', '0.07', '4035.03', '1234567890123.45'],
  3: ['25.9', '1.005', '0.007', '8.615', '123456789012.345'],
  8: ['0.00041', '0.00000001', '1.10000001', '20999999.9769'],
  12: ['0.259', '0.000000000001', '1.100000000001'],
  18: ['0.0259', '0.000000000000000001', '1.00000000000011'],
};
const dayMs = 86_400_000;

export function requestChecks<Options>(subject: Subject<Options>): Check[] {
  const samples = subject.goodSubmissions.slice(0, 6);
  const fresh = freshParts(subject.kit);
  const ask = async (sample: GoodSubmission): Promise<readonly HttpRequest[]> =>
    (await subject.submit(sample, goodScript(sample.vector))).requests;

  return [
    {
      rule: 'idempotency',
      title: 'sends the same bytes for the same attempt, clock and random bytes',
      async run() {
        for (const sample of samples) {
          const first = await ask(sample);
          const again = await withClockShifted(dayMs, () => ask(sample));
          const different = differencesOf(first, again, fresh);
          demand(
            different.length === 0,
            `"${sample.vector.name}" is sent differently the second time: ${subject.hide(different.join('; '))}`,
            'take the time from `ctx.now()`, random bytes from `ctx.random()`, the name from `reference`; if a signature is random by nature, list its header in `freshHeaders`, or its member in `freshMembers`',
          );
        }
      },
    },
    {
      rule: 'containment',
      title: 'keeps two concurrent submissions apart',
      async run() {
        const [sample] = samples;
        if (!sample) return;
        const alone = await ask(sample);
        const other = (one: GoodSubmission) =>
          subject.submit(one, () => noAnswer(), { submission: withOtherReference });
        const [together] = await Promise.all([ask(sample), ...samples.map(other)]);
        const different = differencesOf(alone, together, fresh);
        demand(
          different.length === 0,
          `a submission changes when others run concurrently: ${subject.hide(different.join('; '))}`,
          'keep no state in the module: everything that a call needs is in its arguments',
        );
      },
    },
    {
      rule: 'containment',
      title: 'makes no network call except through `ctx.http`',
      async run() {
        for (const sample of samples) {
          const { calls } = await observeWork(() => ask(sample).catch(() => undefined));
          demand(calls.length === 0, `it used ${calls.join(', ')}`, 'send with `ctx.http.send`');
        }
      },
    },
    {
      rule: 'money',
      title: 'asks for exactly the amount, whatever decimals its currency has',
      async run() {
        const asked = new Set<string>();
        for (const money of moneyFor(subject)) {
          for (const sample of samples) {
            if (await asksFor(subject, sample, money)) asked.add(money.currency);
          }
        }
        demand(asked.size > 0, 'no amount of the kit is within its bounds', 'loosen `bounds`, or add a vector');
        for (const currency of Object.keys(subject.kit.ownDecimals ?? {})) {
          demand(
            asked.has(currency),
            `\`ownDecimals\` names ${currency}, and no submission of the kit can be made in it`,
            'list in `ownDecimals` only currencies that the manifest lists and `bounds` accept',
          );
        }
      },
    },
  ];
}

/** True if the amount was asked for; false if the adapter's own bounds exclude it. */
async function asksFor<Options>(subject: Subject<Options>, sample: GoodSubmission, money: Money): Promise<boolean> {
  const { manifest } = subject.adapter;
  const unit = unitOf(subject, money.currency, sample.payment['unit']);
  if (unit === undefined) return false;
  const body = { ...sample.payment, amount: Number(money.amount), unit };
  if (manifest.bounds && !v.safeParse(manifest.bounds, body).success) return false;
  const lost = scriptAt(sample.vector, sample.vector.exchanges.length - 1, () => noAnswer());
  const { outcome, requests } = await subject.submit(sample, lost, {
    submission: (base) => ({ ...base, money, unit }),
  });
  // A hosted page asks through the payer's form.
  const action = outcome.outcome === 'pending' ? outcome.action : undefined;
  demandExact(
    subject,
    [...requests.map((request) => readable(subject, request)), JSON.stringify(action ?? null)],
    money,
  );
  return true;
}

/** Throws unless one of the texts holds the amount. */
export function demandExact<Options>(subject: Subject<Options>, texts: readonly string[], money: Money): void {
  const text = texts.join('\n');
  demand(
    holdsMoney(subject, text, money),
    `${formatAmount(money)} ${money.currency} is asked for as a different amount: ${subject.hide(shown(numbersNear(text)))}`,
    'write amounts with `formatAmount` or `toMinor`, so that they never pass through a floating-point number. If the provider counts this currency in other decimals than ISO 4217, list it in `ownDecimals`',
  );
}

/** True if the text holds the amount, in major or minor units. */
export function holdsMoney<O>(subject: Subject<O>, text: string, money: Money): boolean {
  return spellingsOf(subject, money).some((spelling) => holdsNumber(text, spelling));
}

/** The spellings of an amount, in major and minor units. */
export function spellingsOf<O>({ kit }: Subject<O>, money: Money): readonly string[] {
  const { amount, currency } = money;
  const own = ownDecimalsOf(kit, currency);
  if (own === undefined) return [...new Set([amount, trimDecimal(amount), formatAmount(money), toMinor(money)])];
  const [whole = '0', fraction = ''] = trimDecimal(amount).split('.');
  if (fraction.length > own) return [];
  const digits = fraction.padEnd(own, '0');
  const minor = `${whole}${digits}`.replace(/^0+(?=\d)/, '');
  return own === 0 ? [minor] : [minor, `${whole}.${digits}`];
}

function ownDecimalsOf<O>({ ownDecimals = {} }: Kit<O>, currency: string): number | undefined {
  return Object.hasOwn(ownDecimals, currency) ? ownDecimals[currency] : undefined;
}

/** The amounts to ask for: the first listed currency of each number of decimals, and each currency of `ownDecimals`. */
export function moneyFor<Options>({ adapter, kit, file, readOptions }: Subject<Options>): Money[] {
  const { currencies, cryptocurrencies = [] } = adapter.manifest;
  const listed = typeof currencies === 'function' ? currencies(readOptions(file.options)) : currencies;
  const ofIso = listed === 'any' ? ['EUR', 'JPY', 'KWD'] : listed.filter((code) => currencyCodes.includes(code));
  const codes = [...ofIso, ...cryptocurrencies].filter((code) => ownDecimalsOf(kit, code) === undefined);
  const usual = Object.keys(amounts).flatMap((key) => {
    const decimals = Number(key);
    const currency = codes.find((code) => decimalsOf(code) === decimals);
    return currency === undefined ? [] : amounts[decimals]!.map((amount) => ({ amount, currency }));
  });
  const own = Object.entries(kit.ownDecimals ?? {})
    .filter(([code]) => listed === 'any' || listed.includes(code))
    .flatMap(([currency, decimals]) => {
      // An amount that neither ISO 4217 nor the provider can express is never asked for.
      const known = amounts[Math.min(decimals, decimalsOf(currency))] ?? amounts[0]!;
      return known.map((amount) => ({ amount, currency }));
    });
  return [...usual, ...own];
}

/** The unit that a merchant writes for a currency; undefined if there is none. */
export function unitOf<Options>({ adapter }: Subject<Options>, currency: string, usual: unknown): string | undefined {
  const { units } = adapter.manifest;
  if (!units) return currency;
  if (typeof usual === 'string' && units[usual] === currency) return usual;
  return Object.keys(units).find((unit) => units[unit] === currency);
}

/** True if the text holds this number, and not as a part of a longer one. */
export function holdsNumber(text: string, spelling: string): boolean {
  return new RegExp(`(?<![\\d.])${spelling.replace('.', '\\.')}(?!\\.?\\d)`).test(text);
}

function numbersNear(text: string): string {
  const long = text.match(/(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g) ?? [];
  return [...new Set(long)]
    .filter((number) => !/^\d{12,}$/.test(number))
    .slice(0, 12)
    .join(' ');
}

/** A request as text: unchanged, with its pairs and base64 decoded, or as the kit's `readable` returns it. */
export function readable<Options>({ kit }: Subject<Options>, request: HttpRequest): string {
  const body = Buffer.from(request.body ?? '').toString();
  const own = kit.readable?.(request);
  return own === undefined ? unpacked(`${request.path}\n${body}`, 3) : `${request.path}\n${own}`;
}

/** The text, and its content in pairs and base64, decoded `depth` times. */
export function unpacked(text: string, depth: number): string {
  if (depth === 0) return text;
  const pairs = (readPairs(text) ?? []).map(([, value]) => value).filter((value) => value !== text);
  const packed = (text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? [])
    .map((part) => Buffer.from(part, 'base64').toString())
    .filter((part) => !part.includes('\ufffd'));
  return [text, ...[...pairs, ...packed].map((part) => unpacked(part, depth - 1))].join('\n');
}
