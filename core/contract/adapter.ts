/**
 * The ProviderAdapter contract. An adapter answers four questions: How do I submit a payment? Is this callback genuine?
 * What does it say? What do these statuses mean? Core does everything else. An adapter has no state, no timers, no
 * clock of its own, and reads no `process.env`.
 */
import type * as v from 'valibot';
import type { AckContext, Acknowledgement, Parsed, Verified, RawCallback, Verdict } from './callback.ts';
import type { DeclineCode } from './statuses/decline-codes.ts';
import type { StatusMapping, StatusReport } from './event.ts';
import type { Outcome } from './outcome.ts';
import type { Brand } from './payer/brands.ts';
import type {
  CaptureRequest,
  CompletionStep,
  InputKind,
  PayerField,
  PaymentMethod,
  RefundRequest,
  StoredPayment,
  Submission,
  VoidRequest,
  Way,
} from './payment.ts';
import type { AdapterContext } from './provider.ts';

/** When core fetches the status of a payment whose outcome it does not know. */
export interface ReconcilePolicy {
  /**
   * The waits before each fetch, in seconds. The first starts at the end of the submission, every other at the fetch
   * before it, so the waits add up: `[5, 15, 60]` fetches after 5 s, 20 s and 80 s. Never less than the one before.
   */
  readonly stepsSeconds: readonly number[];
  /** The wait before every later fetch, in seconds; at least the last of `stepsSeconds`. */
  readonly thenEverySeconds: number;
  /** After this time since the end of the submission, in seconds, core fetches no more: the payment needs review. */
  readonly giveUpAfterSeconds: number;
}

/** The default policy: frequent at first, then less and less often, for three days. */
export const defaultReconcilePolicy: ReconcilePolicy = {
  stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
  thenEverySeconds: 21_600,
  giveUpAfterSeconds: 259_200,
};

/** The largest body of a callback, in bytes, unless its route sets another limit. */
export const defaultMaxBodyBytes = 65_536;

/** The loads of `ctx.cache` in a minute, unless the manifest sets another limit. */
export const defaultLoadsPerMinute = 30;
/** The highest limit that a manifest may set. An address that never proved a callback may send as many in a minute. */
export const maxLoadsPerMinute = 600;

/** The brands of each method, in the order in which the payer's page shows them. */
export type BrandsByMethod = Readonly<Partial<Record<PaymentMethod, readonly Brand[]>>>;

/**
 * What an adapter declares about its provider as data. The loader checks it, the commands print it, and the kit
 * compares the adapter's behaviour with it.
 */
export interface Manifest<Options, I extends InputKind = InputKind, F extends PayerField = PayerField> {
  /** The name in config, such as `provider-a`. */
  readonly name: string;
  /** The name that people read. */
  readonly title: string;
  /** The specification's provider code. */
  readonly code: number;
  /** Range of contract versions, such as `^2.0`. */
  readonly contract: string;
  /** The kinds of payer data that the provider accepts; `submit` gets one of them. */
  readonly inputs: readonly I[];
  /**
   * Bounds narrower than the interface's, as a loose object schema of the merchant's body. Its issues become VAL002
   * before the provider is called.
   */
  readonly bounds?: v.GenericSchema;
  /** The ways to pay. A submission uses the first one, unless `methodOf` says otherwise. */
  readonly ways: readonly [Way<F>, ...Way<F>[]];
  /**
   * The most digits of an amount in minor units that the provider accepts. A larger amount, or one that the currency
   * cannot express, is refused with VAL002 and never reaches `submit` or `refund`.
   */
  readonly maxMinorDigits?: number;
  /** ISO 4217 codes, or `any`. */
  readonly currencies: 'any' | readonly string[] | ((options: Options) => readonly string[]);
  /**
   * Cryptocurrencies that a price may be in, in addition to `currencies`: `unit: "BTC"`. Only those that
   * `isCryptocurrency` knows.
   */
  readonly cryptocurrencies?: readonly string[];
  /**
   * The currency by unit, for a provider whose `unit` is not the currency itself. A unit that is missing here is
   * VAL002.
   */
  readonly units?: Readonly<Record<string, string>>;
  /**
   * The name of the coin that the method `crypto` is paid in, shown to the payer: `BTC`. If it is absent, the payer
   * sees no coin name.
   */
  readonly coin?: (options: Options) => string;
  /**
   * The brands by which payers know the ways: card schemes, wallets, banks' schemes. A function if the account's
   * settings decide. The payer's page shows their pictures, and names a page without `titles` by its brands: `iDEAL,
   * PayPal and more`. Brands decide nothing: a card of another brand is submitted too. Since contract 2.1.
   */
  readonly brands?: BrandsByMethod | ((options: Options) => BrandsByMethod);
  /** Payer countries as two capitals; if absent, any country. */
  readonly countries?: readonly string[];
  /** A strict object with at least `baseUrl` and `sandboxBaseUrl`; secrets are marked with `secret`. */
  readonly options: v.GenericSchema<unknown, Options>;
  /**
   * The identity under which the provider knows the account of these options, such as the merchant id: text that the
   * provider also sends, and never a secret. Two accounts of an adapter with the same key are refused, and a change of
   * the key is refused while the account has open money. A list if the options hold several accounts of the provider: a
   * key may be added, and none removed. If absent, core cannot tell accounts apart by it. Since contract 2.1.
   */
  readonly accountKey?: (options: Options) => string | readonly string[];
  /**
   * The largest number of loads of `ctx.cache` in any 60 s, per process and address: 30 unless set, at most 600. Loads
   * while a callback is verified, and loads of our own calls, each have this number. Set it if every callback needs a
   * request of its own to be verified.
   */
  readonly loadsPerMinute?: number;
  /** The provider's decline codes. */
  readonly declines: Readonly<Record<string, DeclineCode>>;
  /** Default: `defaultReconcilePolicy`. */
  readonly reconcile?: ReconcilePolicy;
  /** What `refund` needs. While it is not known, core answers *nothing charged* without calling `refund`. */
  readonly refundNeeds?: 'providerReference';
  /**
   * `never`: the provider cannot recognise a repeated refund. Core then never repeats a refund whose outcome is
   * unknown. It calls `fetchStatus` instead, which reports with `showsAllRefunds` that there is no other refund.
   * Default: `safe`.
   */
  readonly repeatRefund?: 'safe' | 'never';
  /** What makes a repetition safe at this provider, in one sentence. */
  readonly idempotency: string;
  /** What to enter in the provider's console, in sentences. `{publicUrl}` is replaced by the gateway's address. */
  readonly console?: readonly string[];
  /**
   * Decisions that the author of a new adapter still has to make, one sentence each. While there is any, the kit fails
   * and the loader refuses the adapter, so that no suggestion of the scaffold handles real money by accident.
   */
  readonly undecided?: Readonly<Record<string, string>>;
}

/** An address that the provider or the payer's browser calls: `/callbacks/<path>`. */
export interface CallbackRoute<Options, P = unknown> {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** The caller: a `browser` gets pages and redirects. */
  readonly caller: 'server' | 'browser';
  /** What the route reports, in one or two words, for the documentation. */
  readonly reports: string;
  /** Content types that the body may have, for the documentation: `application/json`. Core reads any content type. */
  readonly contentTypes?: readonly string[];
  /** Parameters that the query may have, for the documentation. Core reads none of them. */
  readonly queryParameters?: readonly string[];
  /**
   * The largest body that the route accepts, in bytes. Default: `defaultMaxBodyBytes`. A larger body is not read and is
   * answered as malformed, and so is a body that holds more JSON values than `maxJsonValues` allows for this limit.
   */
  readonly maxBodyBytes?: number;
  /**
   * `checksum`: the signature covers the body only by a checksum such as a CRC-32. Anybody can write another body with
   * the same checksum, so the kit demands that each event that moves money sets `mustFetch`. If absent, the signature
   * covers the content that the adapter believes. Since contract 2.1.
   */
  readonly signatureCovers?: 'checksum';
  /**
   * Reads from the message, before it is verified, whose account it names: a value of `manifest.accountKey`, or the
   * values of all accounts that the items of a batch name. Core then tries the secrets of these accounts only. A hint
   * proves nothing. Pure and cheap, and never throws: undefined if the message names no account or cannot be read. If
   * absent or undefined, core tries `main` and then at most 32 other accounts. Since contract 2.1.
   */
  accountHint?(raw: RawCallback): string | readonly string[] | undefined;
  /** Is the callback genuine? It may fetch a key from the provider. There is no default that says yes. */
  verifySignature(raw: RawCallback, ctx: AdapterContext<Options>): Verdict<P> | Promise<Verdict<P>>;
  /** What does the callback say? Only a verified callback can be parsed. */
  parseCallback(verified: Verified<P>, ctx: AdapterContext<Options>): Parsed;
  /** The bytes that the provider expects, for every outcome. Default: 200 `OK`. */
  acknowledge?(context: AckContext<P>, ctx: AdapterContext<Options>): Acknowledgement;
  /**
   * Answers a provider's handshake. A handshake is verified, holds no event, and is not stored. Undefined: the message
   * is no handshake.
   */
  probe?(verified: Verified<P>, ctx: AdapterContext<Options>): Acknowledgement | undefined;
}

/** One thing that `checkAccount` checked. */
export interface AccountFinding {
  readonly ok: boolean;
  /** What was found, in one sentence, without a secret. */
  readonly finding: string;
  /** What to do if it is not ok. */
  readonly cure?: string;
  /**
   * The id by which the provider names the account of our credentials, if its answer shows the id: never a value of the
   * options, and no secret. Core keeps it, and a later check with another id fails while the account has open money.
   * Since contract 2.1.
   */
  readonly accountId?: string;
}

export interface ProviderAdapter<
  Options = unknown,
  I extends InputKind = InputKind,
  F extends PayerField = PayerField,
> {
  readonly manifest: Manifest<Options, I, F>;
  submit(payment: Submission<I, F>, ctx: AdapterContext<Options>): Promise<Outcome>;
  // Each route has a verified type of its own. Core never looks inside it.
  readonly callbacks: readonly CallbackRoute<Options, never>[];
  /** What do the provider's statuses mean? `statusTable` creates this mapping. */
  readonly mapStatus: StatusMapping;
  /** The payment method of a submission, if it depends on the input. */
  methodOf?(payment: Submission<I, F>, options: Options): PaymentMethod;
  /**
   * Continues a payment after a 3D Secure step, a return or a member code. Repeating the call must be safe. Only a
   * decline ends the payment: core treats `nothingCharged` as unknown here, because an earlier completion may have
   * charged.
   */
  complete?(payment: StoredPayment, step: CompletionStep, ctx: AdapterContext<Options>): Promise<Outcome>;
  /** What is the state of the payment? `subReference` names the refund or case that a callback was about. */
  fetchStatus?(payment: StoredPayment, ctx: AdapterContext<Options>, subReference?: string): Promise<StatusReport>;
  /**
   * Gives money back. Repeating the same `refund.reference` must be safe. If the provider rejects a repetition (401,
   * 403, 408, 429, 5xx), that says nothing about the first request: core asks again.
   */
  refund?(payment: StoredPayment, refund: RefundRequest, ctx: AdapterContext<Options>): Promise<Outcome>;
  /**
   * Collects money of an authorised payment, once. Repeating the same `capture.reference` must be safe. If the provider
   * refuses, the outcome is `nothingCharged` and the payment stays authorised.
   */
  capture?(payment: StoredPayment, capture: CaptureRequest, ctx: AdapterContext<Options>): Promise<Outcome>;
  /**
   * Releases the money of an authorised payment; `succeeded` means that it is released. Repeating the same
   * `release.reference` must be safe.
   */
  void?(payment: StoredPayment, ctx: AdapterContext<Options>, release: VoidRequest): Promise<Outcome>;
  /**
   * Closes an unpaid order at the provider, so that its payer can no longer pay it. Core calls it before another
   * attempt or a cancellation replaces a step that the payer left, and when the payment expires.
   *
   * - `succeeded`: the provider confirms that the order was not paid and can no longer be paid. Never for a paid order.
   * - Any other outcome: the order is not closed, or its state is not known. `nothingCharged(reason)` is a refusal,
   *   also because the order is paid or its payment is in progress; `pending` says that the provider accepted the
   *   request only; `unknown` says that the answer could not be read. Core fetches the status, which decides.
   *
   * Repeating the call must be safe: an order that is closed already is `succeeded`. Core ignores an `adapterState`.
   */
  close?(payment: StoredPayment, ctx: AdapterContext<Options>): Promise<Outcome>;
  /**
   * Asks the provider whether our account is ready for payments of this side, for `paywright doctor`. Charges nothing.
   */
  checkAccount?(ctx: AdapterContext<Options>): Promise<readonly AccountFinding[]>;
  /** Informs the provider that the events of a fetch are stored. */
  markSeen?(
    payment: StoredPayment,
    seenToken: string,
    ctx: AdapterContext<Options>,
  ): Promise<'done' | 'changed' | 'later'>;
  /**
   * Seconds until the next status fetch of a pending payment, for providers whose schedule the manifest's policy cannot
   * express. Undefined: the payment needs review. `asked` is the number of fetches so far.
   */
  nextFetch?(payment: StoredPayment, asked: number, now: Date): number | undefined;
}

/**
 * The type of one member of an adapter, for a file of its own: `const refund: Ability<'refund', Options> = async
 * (payment, refund, ctx) => …`, and `Ability<'submit', Options, 'card'>` with the adapter's inputs.
 */
export type Ability<
  Name extends keyof ProviderAdapter,
  Options,
  I extends InputKind = InputKind,
  F extends PayerField = PayerField,
> = Required<ProviderAdapter<Options, I, F>>[Name];

/**
 * Infers the adapter's types from its manifest: `ctx.options` from `options`, the submission's member from `inputs`,
 * the payer's guaranteed fields from `ways`. A package exports the result by default.
 */
export function defineAdapter<Options, const I extends InputKind = InputKind, const F extends PayerField = PayerField>(
  adapter: ProviderAdapter<Options, I, F>,
): ProviderAdapter<Options> {
  // `submit` accepts less than core may pass by type. Core passes only what the manifest allows.
  return adapter as unknown as ProviderAdapter<Options>;
}

/** Gives a route its verified type: `P` is the value that `verifySignature` passes to `genuine`. */
export function defineRoute<Options, P>(route: CallbackRoute<Options, P>): CallbackRoute<Options, never> {
  return route as unknown as CallbackRoute<Options, never>;
}
