/**
 * Checks that core can tell several accounts of one operator apart: by the key of their options, by what a callback
 * names before it is verified, and by what an answer names. The rules of proof check the secrets of another account.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CallbackRoute } from '../../adapter.ts';
import type { RawCallback } from '../../callback.ts';
import type { CallResult } from '../compare-result.ts';
import { answersOf, holdsText, ruleOf, samplesOf } from './about-checks.ts';
import { claimOf, isCertainlyNothing } from './answer-classes.ts';
import { damagedVariants, foreignVariants, withoutParts } from './damage.ts';
import { answeredCalls, demand, skip, type AnsweredCall, type Check } from './kit.ts';
import { routeCheck, type CheckedRoute } from './route-check.ts';
import { goodScript } from './scripts.ts';
import type { Subject } from './subject.ts';

const rule = 'account';
/** A shorter key may be part of an answer by accident. */
const shortestKey = 4;

export function accountChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, goodCallbacks } = subject;
  const hinting = adapter.callbacks.filter((route) => route.accountHint !== undefined);
  const calls = adapter.manifest.accountKey ? answeredCalls.filter((call) => adapter[call] !== undefined) : [];
  return [
    keyCheck(subject, hinting.length > 0),
    ...hinting.flatMap((route) => {
      const name = `${route.method} ${route.path}`;
      const goods = goodCallbacks.filter(({ routeName }) => routeName === name);
      return hintChecks(subject, route, { name, goods });
    }),
    ...calls.map((call) => answerCheck(subject, call)),
  ];
}

/** The keys of the vectors' options, and those of `otherAccount`. Undefined: the manifest or the kit has none. */
function keysOf<Options>({ adapter, file, kit, tryOptions }: Subject<Options>) {
  const keyOf = (given: Readonly<Record<string, unknown>>): unknown => {
    const options = tryOptions({ ...file.options, ...given });
    return options === undefined ? undefined : adapter.manifest.accountKey?.(options);
  };
  const listOf = (key: unknown): readonly unknown[] => (Array.isArray(key) ? (key as unknown[]) : [key]);
  const other = kit.otherAccount ? keyOf(kit.otherAccount) : undefined;
  return { own: listOf(keyOf({})), other: other === undefined ? [] : listOf(other) };
}

function keyCheck<Options>(subject: Subject<Options>, hasHint: boolean): Check {
  return {
    rule,
    title: 'names the account of its options by a key of its own',
    async run() {
      const { accountKey } = subject.adapter.manifest;
      demand(
        accountKey || !hasHint,
        'a route has `accountHint`, and the manifest has no `accountKey` to compare it with',
        'let `manifest.accountKey` return the same text as the hint',
      );
      if (!accountKey) skip('the manifest has no `accountKey`, so core cannot tell two accounts apart by it');
      const [{ own, other }, again] = [keysOf(subject), keysOf(subject)];
      demand(
        own.length > 0 && own.every(isFilledText) && isDeepStrictEqual(own, again.own),
        '`accountKey` does not return the same text, or list of texts, each time, or returns none',
        'return the option that the provider knows the account by',
      );
      demand(
        own.every((key) => subject.hide(key) === key),
        '`accountKey` contains a secret',
        'return the id of the account: core stores and shows it',
      );
      demand(
        !own.some((key) => other.includes(key)),
        '`accountKey` is the same for the options with `otherAccount` of the kit',
        'return what distinguishes two accounts at the provider',
      );
    },
  };
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function hintChecks<Options>(
  subject: Subject<Options>,
  route: CallbackRoute<Options, never>,
  checked: CheckedRoute<Options>,
): Check[] {
  const read = async (raw: RawCallback): Promise<readonly unknown[]> => {
    // Wrapped, so that a promise is seen.
    const { hint } = await subject.contain(`accountHint of ${checked.name}`, () => ({
      hint: route.accountHint?.(raw) as unknown,
    }));
    const names = Array.isArray(hint) ? (hint as readonly unknown[]) : hint === undefined ? [] : [hint];
    demand(
      names.every((name) => typeof name === 'string'),
      '`accountHint` returns something else than a text, a list of texts or undefined',
      'read the account with a schema, and return undefined if the message names none',
    );
    return names;
  };
  return [
    routeCheck(
      checked,
      'names its account before it is verified, and no other',
      async ({ vector, raw }) => {
        const { own, other } = keysOf(subject);
        const [names, again] = [await read(raw), await read(raw)];
        const cure = 'read the account that the message names, in the spelling of `accountKey`';
        demand(JSON.stringify(names) === JSON.stringify(again), `"${vector.name}" gives two different hints`, cure);
        if (names.length === 0) return `the samples of ${checked.name} name no account`;
        demand(
          names.some((name) => own.includes(name)),
          `the hint of "${vector.name}" does not name the account of the vectors`,
          cure,
        );
        demand(
          !names.some((name) => other.includes(name)),
          `the hint of "${vector.name}" names \`otherAccount\``,
          cure,
        );
        return undefined;
      },
      rule,
    ),
    routeCheck(
      { ...checked, goods: checked.goods.slice(0, 1) },
      'gives a hint for any bytes without throwing',
      async ({ raw }) => {
        for (const changed of [damagedVariants(raw, 'a sample'), withoutParts(raw), foreignVariants(raw)])
          for (const one of changed) await read(one.raw);
        return undefined;
      },
      rule,
    ),
  ];
}

/** An answer that names our account, to the question of another one. */
function answerCheck<Options>(subject: Subject<Options>, call: AnsweredCall): Check {
  return {
    rule: ruleOf(call),
    title: 'believes no answer about another account',
    async run() {
      const { own, other } = keysOf(subject);
      const { otherAccount } = subject.kit;
      const names = own.filter((key) => isFilledText(key) && key.length >= shortestKey) as string[];
      if (!otherAccount || names.length === 0)
        skip('the kit says that no message names an account, or its name is too short to be found');
      const naming = samplesOf(subject, call).filter((vector) =>
        names.some((name) => holdsText(answersOf(vector), name)),
      );
      if (naming.length === 0) skip(`no answer to \`${call}\` names the account`);
      for (const vector of naming) {
        const called = await subject.call(vector, goodScript(vector), { options: otherAccount });
        demand(
          called.requests.length === 0 || isCertainlyNothing(called) || isUnbelieved(call, called.result, other),
          `the answer to "${vector.name}" names our account, and was believed by another one: ${claimOf(called.result)}`,
          'compare the account in the answer with `options`: another one is `unknown`, or `noInformation` for a fetch. Or set `accountKey` of each event',
        );
      }
    },
  };
}

/** Core ignores an event that names another account than the options. */
function isUnbelieved(
  call: AnsweredCall,
  { outcome, codeRefused, events = [] }: CallResult,
  keys: readonly unknown[],
): boolean {
  if (call === 'close') return outcome !== 'succeeded';
  if (outcome === 'unknown' || codeRefused) return true;
  return events.length > 0 && events.every(({ accountKey }) => accountKey !== undefined && !keys.includes(accountKey));
}
