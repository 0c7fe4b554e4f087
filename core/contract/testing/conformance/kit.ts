/** What the conformance kit needs to know about one adapter; all else follows from its manifest and its vectors. */
import type { RawCallback } from '../../callback.ts';
import type { ReportedEvent } from '../../event.ts';
import type { Action } from '../../outcome.ts';
import type { HttpRequest } from '../../provider.ts';
import type { CreateSandbox } from '../../sandbox/sandbox-contract.ts';
import type { VectorPayment } from '../vector-payment.ts';
import type { VectorOptions } from '../play-vector.ts';

/** Members of an event that core believes; an adapter must prove each of them, or say `mustFetch`. */
export const believedMembers = [
  'kind',
  'status',
  'providerStatus',
  'reference',
  'providerReference',
  'subReference',
  'amount',
  'currency',
  'cumulative',
  'dedupeKey',
  'decline',
] as const satisfies readonly (keyof ReportedEvent | 'status')[];
export type BelievedMember = (typeof believedMembers)[number];

/** The calls that the provider answers with an outcome. */
export const answeredCalls = ['submit', 'complete', 'fetchStatus', 'refund', 'capture', 'void'] as const;
export type AnsweredCall = (typeof answeredCalls)[number];

export interface Kit<Options> {
  /** The provider's vectors: `fixture(import.meta.url, 'vectors.json')`. Their options are the kit's. */
  readonly vectors: unknown;
  /** How the vectors are run. */
  readonly vectorOptions?: VectorOptions<Options>;
  /** Options that make us another merchant, such as `{ account: 'SomeoneElse' }`; null: no message names one. */
  readonly otherAccount: Readonly<Record<string, unknown>> | null;
  /** By `<method> <path>`, such as `POST providerA`; a route left out is signed whole. */
  readonly routes?: Readonly<Record<string, RouteKit<Options>>>;
  /** The content of a request as text, where it is encrypted or packed otherwise than in JSON, forms or base64. */
  readonly readable?: (request: HttpRequest) => string;
  /** Headers of requests that differ each time by their nature: signatures by ECDSA or RSA-PSS. */
  readonly freshHeaders?: readonly string[];
  /** Options that are named like a secret and are none, by path: `accounts.*.key`. */
  readonly notSecret?: readonly string[];
  /** The provider's answers do not repeat our reference, so an answer cannot be distinguished from one to another question: of all calls, or of these. */
  readonly answersAreNameless?: boolean | readonly AnsweredCall[];
  /** The provider's answers to a submission name no amount and no currency: a success cannot be compared with what was asked for. */
  readonly answersNameNoMoney?: boolean;
  /**
   * The calls whose answers the provider signs, or encrypts under a key of ours, with the members of an outcome or an
   * event that the signature does not cover; left out: it signs none.
   */
  readonly signedAnswers?: Readonly<Partial<Record<AnsweredCall, { readonly notCovered?: readonly string[] }>>>;
  /** The package's README, where a scaffold wrote its first one: `packageText(import.meta.url, 'README.md')`. */
  readonly readme?: string;
  /** Facts that `mapStatus` needs beside kind and word. */
  readonly facts?: (kind: ReportedEvent['kind'], word: string) => Partial<ReportedEvent>;
  /** The package's own sandbox, for a round trip over HTTP. */
  readonly sandbox?: SandboxKit<Options>;
}

export interface RouteKit<Options> {
  /**
   * What the protocol's proof does not cover. Core compares amount, currency and reference with the payment; anything
   * else that is not covered is only safe as the protocol says. `all`: only the sender is verified (a password).
   */
  readonly notCovered?: 'all' | readonly BelievedMember[];
  /** The provider signs with a key pair: no secret of the options proves a message of this route. */
  readonly signedByKeyPair?: boolean;
  /** No message of this route names our account: `otherAccount` is not tried there. */
  readonly namesNoAccount?: boolean;
  /**
   * Which of several secrets in rotation the protocol signs an acknowledgement with: the first, or the one that proved
   * the callback. Left out: no acknowledgement depends on a secret.
   */
  readonly acknowledgedBy?: 'first' | 'verified';
  /** Signs a callback anew after its body was changed, as the provider does. */
  readonly sign?: (raw: RawCallback, options: Options) => RawCallback;
}

export interface SandboxKit<Options> {
  /** The default export of `<package>/sandbox`. */
  readonly create: CreateSandbox<Options>;
  /** The provider's half of key pairs; left out: `providerSide` of the vectors. */
  readonly providerSide?: Readonly<Record<string, unknown>>;
  /** Members of a merchant's body that make the sandbox approve and call back; the first good vector's otherwise. */
  readonly payment?: VectorPayment;
  /** Options that depend on the gateway's address. */
  readonly options?: (publicUrl: string) => Readonly<Record<string, unknown>>;
  /** How long to wait for its callbacks; 10 s by default. */
  readonly patienceMs?: number;
  /** Plays the payer, where the payment waits for one. */
  readonly payer?: (action: Action) => Promise<void>;
}

/** Whether answers to this call do not repeat our reference. */
export function isNameless<Options>({ answersAreNameless = false }: Kit<Options>, call: AnsweredCall): boolean {
  return typeof answersAreNameless === 'boolean' ? answersAreNameless : answersAreNameless.includes(call);
}

/** One thing that an adapter must do. */
export interface Check {
  /** The rule, in a word or two: `proof`, `money`. */
  readonly rule: string;
  /** What an adapter that keeps it does, in the present tense. */
  readonly title: string;
  /** The kit says that it cannot be checked of this provider: shown as pending, and not run. */
  readonly isSkipped?: boolean;
  /** Rejects with a `BrokenRule`. */
  readonly run: () => Promise<void>;
}

/** A rule that an adapter broke: what was seen, and the cure. */
export class BrokenRule extends Error {
  readonly rule: string;

  constructor(rule: string, seen: string, cure: string) {
    super(`${rule}: ${seen}\nCure: ${cure}`);
    this.name = 'BrokenRule';
    this.rule = rule;
  }
}

/** What a check finds wrong; the kit makes a `BrokenRule` of it. */
export class Finding extends Error {
  readonly cure: string;

  constructor(seen: string, cure: string) {
    super(seen);
    this.cure = cure;
  }
}

/** Throws the finding unless the condition holds. */
export function demand(condition: unknown, seen: string, cure: string): asserts condition {
  if (!condition) throw new Finding(seen, cure);
}
