/** One order of messages, identified by its seed: the actors, their payment, and which message goes next. */
import { bases, type BaseName, type Base, type Role } from './roles.ts';
import type { Behaviour } from './provider.ts';

/** A message that may go next. `actor` is the index of the actor that sends it. */
export type Choice = { readonly actor: number };
export type Pick = { readonly index: number; readonly fate: 'pass' | 'answer_lost' | 'killed' };

export interface Plan {
  readonly seed: number;
  readonly base: BaseName;
  readonly roles: readonly Role[];
  readonly charges: Behaviour;
  readonly refunds: Behaviour;
  readonly skewsMs: readonly number[];
  /** The recovery round before which the provider completes what waits there. */
  readonly decidesInRound: number;
  /** True if the provider gives up on callbacks that no actor delivered. */
  readonly losesCallbacks: boolean;
  /** Called once for each message, with all messages that may go next. */
  readonly next: (choices: readonly Choice[]) => Pick;
}

/**
 * From this seed on, a seed encodes a pair, the first actor, and after how many messages each of two changes of turn
 * happens.
 */
const PAIRS_FROM = 1_000_000_000;
const MAX_TURN = 1000;
/** More than there are such orders. Seeds beyond it encode an order with the fault of that number. */
const HARMS = 10_000_000_000;

interface Pair {
  readonly base: BaseName;
  readonly roles: readonly [Role, Role];
  readonly charges: Behaviour;
  readonly refunds: Behaviour;
}

/** Every two roles of a base, with everything that the provider may do. */
const pairs: readonly Pair[] = (Object.entries(bases) as [BaseName, Base][]).flatMap(
  ([base, { roles, charges, refunds }]) =>
    roles.flatMap((first, at) =>
      roles
        .slice(at + 1)
        .flatMap((second) =>
          charges.flatMap((charge) =>
            refunds.map((refund): Pair => ({ base, roles: [first, second], charges: charge, refunds: refund })),
          ),
        ),
    ),
);

export const pairCount = pairs.length;

/** The number, from 0, of the first pair with these two roles. */
export function findPair(base: BaseName, ...roles: readonly [Role, Role]): number {
  return pairs.findIndex((one) => one.base === base && one.roles.join() === roles.join());
}

/**
 * Actor `first` sends `turn` messages. Then the other sends `back` messages, or all of its own if `back` is 0. Then the
 * first continues to its end. `harm` selects a kill or a lost response at one of the messages, and wrong clocks; 0
 * means none.
 */
export function pairSeed(pair: number, first: 0 | 1, turn: number, back = 0, harm = 0): number {
  const [turnAt, backAt] = [turn, back].map((messages) => Math.min(messages, MAX_TURN - 1)) as [number, number];
  return PAIRS_FROM + ((pair * 2 + first) * MAX_TURN + turnAt) * MAX_TURN + backAt + harm * HARMS;
}

export function planOf(seed: number): Plan {
  return seed >= PAIRS_FROM ? planOfPair(seed) : randomPlan(seed);
}

function planOfPair(seed: number): Plan {
  const harm = Math.floor((seed - PAIRS_FROM) / HARMS);
  const rest = (seed - PAIRS_FROM) % HARMS;
  const back = rest % MAX_TURN;
  const turn = Math.floor(rest / MAX_TURN) % MAX_TURN;
  const which = Math.floor(rest / MAX_TURN / MAX_TURN);
  const first = which % 2;
  const pair = pairs[Math.floor(which / 2)];
  if (!pair) throw new Error(`Seed ${seed} encodes no order`);
  const sent = [0, 0];
  const { fateOf, ...circumstances } = harm === 0 ? unharmed : drawHarm(randomFrom(harm));
  return {
    ...pair,
    ...circumstances,
    seed,
    next(choices) {
      const isOthersTurn = sent[first]! >= turn && (back === 0 || sent[1 - first]! < back);
      const preferred = isOthersTurn ? 1 - first : first;
      const index = Math.max(
        0,
        choices.findIndex(({ actor }) => actor === preferred),
      );
      const actor = choices[index]?.actor;
      if (actor !== undefined) sent[actor]! += 1;
      return { index, fate: fateOf(sent[0]! + sent[1]!) };
    },
  };
}

interface Circumstances extends Omit<Plan, 'seed' | 'next' | keyof Pair> {
  /** The fate of the n-th message of both actors. */
  readonly fateOf: (n: number) => Pick['fate'];
}

const unharmed: Circumstances = {
  skewsMs: [0, 0],
  decidesInRound: 1,
  losesCallbacks: false,
  fateOf: () => 'pass',
};

/** Most orders of two actors end before this message. */
const LATEST_HARM = 16;

function drawHarm(random: () => number): Circumstances {
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const harmedAt = 1 + Math.floor(random() * LATEST_HARM);
  const fate = oneOf(['killed', 'answer_lost'] as const);
  return {
    skewsMs: [0, 1].map(() => oneOf([0, 0, HOUR_MS, -HOUR_MS])),
    decidesInRound: oneOf([1, 3]),
    losesCallbacks: random() < 0.3,
    fateOf: (n) => (n === harmedAt ? fate : 'pass'),
  };
}

const HOUR_MS = 3_600_000;

function randomPlan(seed: number): Plan {
  const random = randomFrom(seed);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const base = oneOf(Object.keys(bases) as BaseName[]);
  const { roles, charges, refunds }: Base = bases[base];
  const count = random() < 0.4 ? 2 : 3;
  const chosen: Role[] = [];
  while (chosen.length < count) {
    const role = oneOf(roles);
    if (!chosen.includes(role)) chosen.push(role);
  }
  const [killChance, lossChance] = [oneOf([0, 0, 0.03, 0.1]), oneOf([0, 0, 0.03, 0.1])];
  const stay = oneOf([0, 0.5, 0.8]);
  let latest = -1;
  return {
    seed,
    base,
    roles: chosen,
    charges: oneOf(charges),
    refunds: oneOf(refunds),
    skewsMs: chosen.map(() => oneOf([0, 0, 0, HOUR_MS, -HOUR_MS])),
    decidesInRound: oneOf([1, 1, 3]),
    losesCallbacks: random() < 0.3,
    next(choices) {
      const same = choices.findIndex(({ actor }) => actor === latest);
      const index = same >= 0 && random() < stay ? same : Math.floor(random() * choices.length);
      latest = choices[index]!.actor;
      const chance = random();
      const fate = chance < killChance ? 'killed' : chance < killChance + lossChance ? 'answer_lost' : 'pass';
      return { index, fate };
    },
  };
}

/** Mulberry32: a small generator with the same numbers on every machine, from 0 up to but not including 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
