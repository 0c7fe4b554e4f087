/** Checks that an answer is believed only for the payment, and for the amount, that were asked for. */
import { currencyCodes, decimalsOf } from '../../money/currencies.ts';
import { addDecimals, type Money } from '../../money/money.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { isObject, sameDecimal, toDecimal } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { textOf, type VectorPayment } from '../vector-payment.ts';
import { claimOf, isCertainlyNothing, playGood } from './answer-classes.ts';
import { answeredCalls, demand, isDeclaredFor, skip, type AnsweredCall, type Check } from './kit.ts';
import { holdsNumber, spellingsOf, unitOf, unpacked } from './request-checks.ts';
import { goodScript } from './scripts.ts';
import { otherText } from './secrets.ts';
import type { Subject } from './subject.ts';

/** Currencies that are tried until the adapter sends a request for one. */
const maxCurrencies = 8;

export function aboutChecks<Options>(subject: Subject<Options>): Check[] {
  return answeredCalls
    .filter((call) => subject.adapter[call] !== undefined)
    .flatMap((call) => {
      const payment = paymentCheck(subject, call);
      // A closed order moves no money.
      if (call === 'close') return [payment];
      const money = [moneyCheck(subject, call, 'amount'), moneyCheck(subject, call, 'currency')];
      return call === 'submit' ? [payment, ...money, stepCheck(subject)] : [payment, ...money];
    });
}

/** The name of the rule that a call's checks belong to. */
export function ruleOf(call: AnsweredCall): string {
  return call === 'submit' ? 'submission' : call;
}

function paymentCheck<Options>(subject: Subject<Options>, call: AnsweredCall): Check {
  const isDeclared = isDeclaredFor(subject.kit.answersAreNameless, call);
  return {
    rule: ruleOf(call),
    title: 'believes no answer about another payment',
    async run() {
      const samples = samplesOf(subject, call);
      const tried = samples.map((vector) => ({ vector, named: namedBy(vector) }));
      const excused = tried.filter(({ named }) => isDeclared && named.length === 0);
      for (const { vector, named } of tried.filter((one) => !excused.includes(one))) {
        for (const asked of named.length > 0 ? named : [anotherPayment(vector)]) {
          const called = await subject.call(vector, goodScript(vector), { payment: asked });
          const isRefused = called.requests.length === 0 || isCertainlyNothing(called);
          demand(
            isRefused || hasNoFacts(call, called.result, { ...vector.payment, ...asked }),
            `the answer to "${vector.name}" was believed for another payment (${changedNames(vector, asked)}): ${claimOf(called.result)}`,
            'compare every reference in the answer with the one that was sent; any other is `unknown`, or `noInformation` for a fetch. If answers name no reference, set `answersAreNameless`',
          );
        }
      }
      demand(
        !isDeclared || excused.length > 0,
        `every answer to \`${call}\` names a reference, although \`answersAreNameless\` says that they do not`,
        'list in `answersAreNameless` only calls with a sample whose answer names no reference',
      );
      if (excused.length === samples.length) skip('`answersAreNameless`: no answer of the samples names a reference');
    },
  };
}

function moneyCheck<Options>(subject: Subject<Options>, call: AnsweredCall, what: 'amount' | 'currency'): Check {
  const isDeclared = isDeclaredFor(subject.kit.answersNameNoMoney, call);
  return {
    rule: ruleOf(call),
    title: `believes no success of another ${what}`,
    async run() {
      const believed: CallVector[] = [];
      for (const vector of samplesOf(subject, call)) {
        const { result } = await playGood(subject, vector);
        if (isBelieved(subject, call, result, vector.payment)) believed.push(vector);
      }
      if (believed.length === 0) skip(`no sample of \`${call}\` ends in a success`);
      const excused = believed.filter((vector) => isDeclared && !namesMoney(subject, call, what, vector));
      let asked = 0;
      for (const vector of believed.filter((one) => !excused.includes(one))) {
        for (const payment of otherMoney(subject, call, what, vector)) {
          const { result, requests } = await subject.call(vector, goodScript(vector), { payment });
          if (requests.length === 0) continue;
          asked += 1;
          demand(
            !isBelieved(subject, call, result, { ...vector.payment, ...payment }),
            `the answer to "${vector.name}" was believed for another ${what}: ${claimOf(result)}`,
            `compare the ${what} in the answer with the one that was sent; any other is \`unknown\`. If answers name no ${what}, set \`answersNameNoMoney\``,
          );
          if (what === 'currency') break;
        }
      }
      demand(
        !isDeclared || what === 'currency' || excused.length > 0,
        `every answer to \`${call}\` names the amount, although \`answersNameNoMoney\` says that they do not`,
        'list in `answersNameNoMoney` only calls with a sample whose answer names no amount',
      );
      if (excused.length === believed.length)
        skip(`\`answersNameNoMoney\`: no answer of the samples names its ${what}`);
      if (asked === 0) skip(`the adapter asks for no other ${what}`);
    },
  };
}

/** The payer would pay other money at the provider's page than the merchant asked for. */
function stepCheck<Options>(subject: Subject<Options>): Check {
  const call = 'submit';
  return {
    rule: ruleOf(call),
    title: 'gives the payer no step for another amount or currency',
    async run() {
      let asked = 0;
      for (const vector of samplesOf(subject, call)) {
        if ((await playGood(subject, vector)).result.action === undefined) continue;
        for (const what of ['amount', 'currency'] as const) {
          if (!namesMoney(subject, call, what, vector)) continue;
          for (const payment of otherMoney(subject, call, what, vector)) {
            const { result, requests } = await subject.call(vector, goodScript(vector), { payment });
            if (requests.length === 0) continue;
            asked += 1;
            demand(
              result.action === undefined,
              `the answer to "${vector.name}" names its ${what}, and sends the payer on to pay for another ${what}`,
              `compare the ${what} in the answer with the one that was sent; any other is \`unknown\``,
            );
            if (what === 'currency') break;
          }
        }
      }
      if (asked === 0) skip('no sample with a step of the payer has an answer that names its money');
    },
  };
}

/** The samples of a call that have a good answer. Skips the check if there is none. */
export function samplesOf<Options>(subject: Subject<Options>, call: AnsweredCall): readonly CallVector[] {
  const samples = subject.wellAnswered(call);
  if (samples.length === 0) skip(`no vector is a \`${call}\` with a good answer`);
  // Those with most requests first, because they have most answers to confuse.
  return samples.toSorted((one, other) => other.exchanges.length - one.exchanges.length);
}

/** Every answer of a sample as text, decoded. */
export function answersOf({ exchanges }: CallVector): string {
  return exchanges
    .map(({ reply }) => toHttpReply(reply!))
    .map(({ headers, body }) =>
      [...headers.map(([, value]) => value), unpacked(Buffer.from(body).toString(), 3)].join('\n'),
    )
    .join('\n');
}

/** Members that make the question one about another payment: each reference that the question carries, changed. */
export function changedReferences({
  payment,
  call,
}: CallVector): { readonly from: string; readonly to: VectorPayment }[] {
  const { reference, providerReference, providerReferences, subReference, refund, capture } = payment;
  const ids = isObject(providerReferences) ? providerReferences : {};
  const withOtherId = (id: string): VectorPayment => ({
    ...(id === providerReference && { providerReference: otherText(id) }),
    ...(Object.values(ids).includes(id) && {
      providerReferences: Object.fromEntries(
        Object.entries(ids).map(([name, one]) => [name, one === id ? otherText(id) : one]),
      ),
    }),
  });
  const named = (member: unknown): string => (isObject(member) ? textOf(member['reference']) : '');
  const release = named(payment['void']) || (call === 'void' ? `${textOf(reference)}-V` : '');
  return [
    { from: textOf(reference), to: { reference: 'GW-99999-1' } },
    { from: textOf(providerReference), to: withOtherId(textOf(providerReference)) },
    { from: textOf(subReference), to: { subReference: otherText(textOf(subReference)) } },
    { from: named(refund), to: { refund: { ...(refund as object), reference: 'GW-99999-1-R1' } } },
    { from: named(capture), to: { capture: { ...(capture as object), reference: 'GW-99999-1-C' } } },
    { from: release, to: { void: { reference: 'GW-99999-1-V' } } },
  ].filter(({ from }) => from !== '');
}

/**
 * One change for each reference of the question that the answer names. A short one may be there by accident. The name
 * of a refund, a capture or a release begins with the payment's: where the answer has it, it alone counts.
 */
function namedBy(vector: CallVector): VectorPayment[] {
  const answers = answersOf(vector);
  const named = changedReferences(vector).filter(({ from }) => from.length > 3 && holdsText(answers, from));
  const isImplied = (one: string): boolean => named.some(({ from }) => from !== one && from.startsWith(`${one}-`));
  return named.filter(({ from }) => !isImplied(from)).map(({ to }) => to);
}

/** Another payment of the same kind: every reference of the question is changed. */
export function anotherPayment(vector: CallVector): VectorPayment {
  const { providerReferences: ids } = vector.payment;
  const others = isObject(ids) && {
    providerReferences: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, otherText(textOf(id))])),
  };
  return Object.assign({}, ...changedReferences(vector).map(({ to }) => to), others) as VectorPayment;
}

function changedNames({ payment }: CallVector, asked: VectorPayment): string {
  return Object.keys(asked)
    .filter((name) => payment[name] !== asked[name])
    .join(', ');
}

/** True if the text holds the part, and not only within a longer word. */
export function holdsText(text: string, part: string): boolean {
  return textPattern(part).test(text);
}

/** The text with a reference replaced, also where it begins the name of a refund, a capture or a release. */
export function replaceReference(text: string, part: string, other: string): string {
  return text.replace(textPattern(part, '(?:-[A-Z]\\d*)?'), (found) => other + found.slice(part.length));
}

/** Finds a text that is no part of a longer word. `suffix` may follow it. */
function textPattern(part: string, suffix = ''): RegExp {
  const literal = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // A reference in an address is a link, which a provider may write in many ways.
  return new RegExp(`(?<![\\w/-])${literal}${suffix}(?![\\w-])`, 'g');
}

/** Core drops an event of a fetch that names another payment than the requested one. */
function hasNoFacts(call: AnsweredCall, { outcome, codeRefused, events }: CallResult, asked: VectorPayment): boolean {
  if (call === 'close') return outcome !== 'succeeded';
  // A wrong code may be tried again and moves no money; few providers repeat the reference there.
  if (outcome === 'unknown' || codeRefused) return true;
  const isAnother = (named: string | null | undefined, wanted: unknown): boolean =>
    typeof named === 'string' && typeof wanted === 'string' && named !== wanted;
  return (
    events !== undefined &&
    events.length > 0 &&
    events.every(
      (event) =>
        isAnother(event.reference, asked['reference']) ||
        isAnother(event.providerReference, asked['providerReference']) ||
        isAnother(event.subReference, asked['subReference']),
    )
  );
}

const paid: readonly string[] = ['succeeded', 'overpaid', 'late', 'authorised'];

/**
 * True if core would believe that the money which was asked for has moved, or will move. A fetch is believed for the
 * amount that its event names: a part that was captured is another member.
 */
export function isBelieved<O>(
  subject: Subject<O>,
  call: AnsweredCall,
  result: CallResult,
  payment: VectorPayment,
): boolean {
  const { outcome, authorised, events = [] } = result;
  if (call === 'submit' || call === 'complete') return outcome === 'succeeded' || authorised === true;
  if (call === 'close') return outcome === 'succeeded';
  if (call !== 'fetchStatus') return outcome === 'succeeded' || outcome === 'pending';
  const amounts = [payment['amount'], payment['capturedAmount']];
  return events.some(
    ({ kind, status, amount, currency }) =>
      kind === 'payment' &&
      paid.includes(status) &&
      amounts.some((wanted) => sameDecimal(amount, wanted)) &&
      currency === currencyOf(subject, payment),
  );
}

export function currencyOf<O>({ adapter }: Subject<O>, { unit }: VectorPayment): string {
  const { units = {} } = adapter.manifest;
  const name = textOf(unit);
  return Object.hasOwn(units, name) ? units[name]! : name;
}

/** The member of a vector's payment that holds the amount which a call asks for. */
export function askedOf(call: AnsweredCall, payment: VectorPayment): VectorPayment {
  const own = call === 'refund' ? payment['refund'] : call === 'capture' ? payment['capture'] : undefined;
  return isObject(own) ? own : payment;
}

/** True if an answer of the sample names the amount, or the currency, that was asked for. */
function namesMoney<O>(
  subject: Subject<O>,
  call: AnsweredCall,
  what: 'amount' | 'currency',
  vector: CallVector,
): boolean {
  const { payment } = vector;
  const text = answersOf(vector);
  const currency = currencyOf(subject, payment);
  if (what === 'currency') return new RegExp(`(?<![A-Za-z])${currency}(?![A-Za-z])`, 'i').test(text);
  const money: Money = { amount: toDecimal(askedOf(call, payment)['amount']) ?? '0', currency };
  // A single digit may be there by accident.
  return spellingsOf(subject, money).some((spelling) => spelling.length > 1 && holdsNumber(text, spelling));
}

/** The same question about other money: members that replace those of the vector's payment. */
function otherMoney<Options>(
  subject: Subject<Options>,
  call: AnsweredCall,
  what: 'amount' | 'currency',
  { payment }: CallVector,
): VectorPayment[] {
  return what === 'currency'
    ? otherCurrencies(subject, payment).flatMap((currency) => {
        const unit = unitOf(subject, currency, undefined);
        return unit === undefined ? [] : [{ unit }];
      })
    : otherAmounts(call, payment);
}

function otherAmounts(call: AnsweredCall, payment: VectorPayment): VectorPayment[] {
  const more = (amount: unknown): string => addDecimals(toDecimal(amount) ?? '0', '1');
  const { capturedAmount, refund, capture } = payment;
  const whole = {
    amount: more(payment['amount']),
    ...(capturedAmount !== undefined && { capturedAmount: more(capturedAmount) }),
  };
  if (call === 'refund' && isObject(refund)) return [{ refund: { ...refund, amount: more(refund['amount']) } }];
  if (call !== 'capture' || !isObject(capture)) return [whole];
  const other = { ...capture, amount: more(capture['amount']) };
  // An adapter may capture the whole reservation alone, so the payment grows too.
  return [{ capture: other }, { ...whole, capture: other }];
}

/** Currencies with as many decimals, which the adapter accepts. */
function otherCurrencies<O>(subject: Subject<O>, payment: VectorPayment): readonly string[] {
  const { adapter, file, readOptions } = subject;
  const { currencies } = adapter.manifest;
  const listed =
    currencies === 'any'
      ? currencyCodes
      : typeof currencies === 'function'
        ? currencies(readOptions(file.options))
        : currencies;
  const usual = currencyOf(subject, payment);
  const isLike = (code: string): boolean => code !== usual && decimalsOf(code) === decimalsOf(usual);
  return listed.filter(isLike).slice(0, maxCurrencies);
}
