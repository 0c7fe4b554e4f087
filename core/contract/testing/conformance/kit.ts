/**
 * The facts that the conformance kit needs about one adapter. Everything else follows from its manifest and its
 * vectors.
 */
import type { ReportedEvent } from '../../event.ts';
import type { Action } from '../../outcome.ts';
import type { HttpRequest } from '../../provider.ts';
import type { CreateSandbox } from '../../sandbox/sandbox-contract.ts';
import type { VectorPayment } from '../vector-payment.ts';
import type { VectorOptions } from '../play-vector.ts';
import type { SignAnswer, SignCallback } from '../signers.ts';

/** Members of an event that core believes. An adapter must prove each of them, or set `mustFetch`. */
export const believedMembers = [
  'kind',
  'status',
  'providerStatus',
  'reference',
  'providerReference',
  'providerReferences',
  'subReference',
  'amount',
  'currency',
  'capturedAmount',
  'cumulative',
  'orRefunded',
  'dedupeKey',
  'decline',
] as const satisfies readonly (keyof ReportedEvent | 'status')[];
export type BelievedMember = (typeof believedMembers)[number];

/** The calls that the provider answers with an outcome. */
export const answeredCalls = ['submit', 'complete', 'fetchStatus', 'refund', 'capture', 'void', 'close'] as const;
export type AnsweredCall = (typeof answeredCalls)[number];

export interface Kit<Options> {
  /** The provider's vectors: `fixture(import.meta.url, 'vectors.json')`. Their options are the kit's options. */
  readonly vectors: unknown;
  /** How the vectors are run. */
  readonly vectorOptions?: VectorOptions<Options>;
  /**
   * Options that make us another merchant, such as `{ account: 'SomeoneElse' }`. Null: no message names an
   * account.
   */
  readonly otherAccount: Readonly<Record<string, unknown>> | null;
  /** Keyed by `<method> <path>`, such as `POST providerA`. A route that is not listed is signed completely. */
  readonly routes?: Readonly<Record<string, RouteKit<Options>>>;
  /** Returns the content of a request as text, if it is encrypted or not packed in JSON, forms or base64. */
  readonly readable?: (request: HttpRequest) => string;
  /** Headers that differ in each request by nature: a nonce, a time, and a signature over them. Never a key. */
  readonly freshHeaders?: readonly string[];
  /**
   * Members of a body that differ in each request by nature, by name at any depth: a nonce, a time, and a signature
   * over them. Never a key.
   */
  readonly freshMembers?: readonly string[];
  /** Options that are named like a secret but are not secret, by path: `accounts.*.key`. */
  readonly notSecret?: readonly string[];
  /**
   * The provider's answers do not repeat our reference, so an answer to another question cannot be recognised. `true`
   * for all calls, or a list of calls. It excuses only samples whose answers name no reference.
   */
  readonly answersAreNameless?: boolean | readonly AnsweredCall[];
  /**
   * The provider's answers name neither amount nor currency, so a success cannot be compared with the request. `true`
   * for all calls, or a list of calls. It excuses only samples whose answers name no money.
   */
  readonly answersNameNoMoney?: boolean | readonly AnsweredCall[];
  /**
   * The calls whose answers the provider signs, or encrypts with a key of ours. Default: no answer is signed.
   */
  readonly signedAnswers?: Readonly<Partial<Record<AnsweredCall, SignedAnswer>>>;
  /**
   * Signs an answer again as the provider does: the `signAnswer` that the package exports from
   * `<package>/sandbox`.
   */
  readonly signAnswer?: SignAnswer<Options>;
  /**
   * Currencies that the provider counts in other decimals than ISO 4217: `{ ISK: 2 }` for hundredths of a currency
   * without decimals. The kit asks for amounts in each of them, and accepts no other spelling.
   */
  readonly ownDecimals?: Readonly<Record<string, number>>;
  /** The package's README, if a scaffold wrote its first version: `packageText(import.meta.url, 'README.md')`. */
  readonly readme?: string;
  /** Other facts that `mapStatus` needs, in addition to kind and status. */
  readonly facts?: (kind: ReportedEvent['kind'], word: string) => Partial<ReportedEvent>;
  /** The package's own sandbox, for a round trip over HTTP. */
  readonly sandbox?: SandboxKit<Options>;
}

export interface SignedAnswer {
  /** The members of an outcome or an event that the signature does not cover. */
  readonly notCovered?: readonly string[];
  /** The provider signs with a key pair: no secret of the options proves an answer. */
  readonly signedByKeyPair?: boolean;
}

export interface RouteKit<Options> {
  /**
   * The members that the protocol's proof does not cover. Core compares amount, currency and reference with the
   * payment; any other member that is not covered is only as safe as the protocol says. `all`: only the sender is
   * verified (a password).
   */
  readonly notCovered?: 'all' | readonly BelievedMember[];
  /** The provider signs with a key pair: no secret of the options proves a message of this route. */
  readonly signedByKeyPair?: boolean;
  /** No message of this route names our account, so `otherAccount` is not tried there. */
  readonly namesNoAccount?: boolean;
  /**
   * During a rotation of secrets, the secret that the protocol signs an acknowledgement with: the first one, or
   * the one that verified the callback. Default: no acknowledgement depends on a secret.
   */
  readonly acknowledgedBy?: 'first' | 'verified';
  /**
   * Signs a callback again after its body was changed, as the provider does: the `signCallback` that the package
   * exports from `<package>/sandbox`. From two signatures of one callback the kit learns which parts of it carry
   * the signature.
   */
  readonly sign?: SignCallback<Options>;
}

/** How the kit makes one payment at the sandbox. */
export interface SandboxPayment {
  /** Members of a merchant's body. */
  readonly payment?: VectorPayment;
  /** Options that depend on the gateway's address, or that this payment needs. */
  readonly options?: (publicUrl: string) => Readonly<Record<string, unknown>>;
  /**
   * Plays the payer, if the payment waits for one: `(action) => visitPage(action, 'pay')` presses a button of the
   * sandbox's page and returns to the gateway. `sandboxUrl` is the address of the running sandbox, for an action that
   * does not name it (a code).
   */
  readonly payer?: (action: Action, sandboxUrl: string) => Promise<unknown>;
}

/**
 * The package's own sandbox. `payment` makes it approve and call back, by default the payment of the first good vector.
 */
export interface SandboxKit<Options> extends SandboxPayment {
  /** The default export of `<package>/sandbox`. */
  readonly create: CreateSandbox<Options>;
  /** The provider's half of key pairs. Default: `providerSide` of the vectors. */
  readonly providerSide?: Readonly<Record<string, unknown>>;
  /** How long to wait for its callbacks; 10 s by default. */
  readonly patienceMs?: number;
  /**
   * A payment that takes a step of the payer which `complete` continues; each member replaces that of the sandbox.
   * Default: the shared test card 4000000000003220 if the first good vector has a card, otherwise the payment itself.
   */
  readonly step?: SandboxPayment;
  /**
   * A payment that waits for its payer, for `close`; each member replaces that of the sandbox. Default: `step`, or what
   * `step` is by default.
   */
  readonly open?: SandboxPayment;
  /**
   * A payment whose money is only reserved, for `capture` and `void`; each member replaces that of the sandbox.
   * Default: the payment with `captureDelayHours: 3`.
   */
  readonly reserved?: SandboxPayment;
  /** The member code that the sandbox accepts. */
  readonly code?: string;
}

/** True if a declaration of the kit is about this call: `true` is about every call. */
export function isDeclaredFor(declared: boolean | readonly AnsweredCall[] = false, call: AnsweredCall): boolean {
  return typeof declared === 'boolean' ? declared : declared.includes(call);
}

/** The parts of a request that differ each time by nature. */
export function freshParts<Options>({ freshHeaders = [], freshMembers = [] }: Kit<Options>) {
  return { headers: freshHeaders, members: freshMembers };
}

/** One rule that an adapter must keep. */
export interface Check {
  /** The rule, in one or two words: `proof`, `money`. */
  readonly rule: string;
  /** The behaviour of an adapter that keeps the rule, in the present tense. */
  readonly title: string;
  /** Rejects with a `BrokenRule`, or with a `Skipped` if it could not prove anything. */
  readonly run: () => Promise<void>;
  /** @deprecated No check sets it: a check that proves nothing rejects with a `Skipped`. Removed with 3.0. */
  readonly isSkipped?: boolean;
}

/** The rule of the decisions that an author still has to make. */
export const undecidedRule = 'undecided';

/** A rule that an adapter broke: what was observed, and the cure. */
export class BrokenRule extends Error {
  readonly rule: string;

  constructor(rule: string, seen: string, cure: string) {
    // An open decision is no rule that was broken.
    super(`${rule === undecidedRule ? 'Not decided yet, ' : `${rule}: `}${seen}\nCure: ${cure}`);
    this.name = 'BrokenRule';
    this.rule = rule;
  }
}

/** A fault that a check finds. The kit makes a `BrokenRule` of it. */
export class Finding extends Error {
  readonly cure: string;

  constructor(seen: string, cure: string) {
    super(seen);
    this.cure = cure;
  }
}

/** A check that could not prove anything, and why. It is reported as skipped, never as passed. */
export class Skipped extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Skipped';
  }
}

/** Ends a check that cannot prove anything about this adapter. */
export function skip(reason: string): never {
  throw new Skipped(reason);
}

/** Why a check could prove nothing with a sample; undefined if the sample kept the rule. */
export type Reason = string | undefined;

/** Runs a check with each sample. If no sample could prove anything, the check is skipped with the first reason. */
export async function checkEach<T>(samples: readonly T[], run: (sample: T) => Promise<Reason>): Promise<void> {
  const reasons: string[] = [];
  for (const sample of samples) {
    const reason = await run(sample);
    if (reason !== undefined) reasons.push(reason);
  }
  const [reason] = reasons;
  if (reason !== undefined && reasons.length === samples.length) skip(reason);
}

/** Throws the finding unless the condition holds. */
export function demand(condition: unknown, seen: string, cure: string): asserts condition {
  if (!condition) throw new Finding(seen, cure);
}
