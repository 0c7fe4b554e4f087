/**
 * The ProviderAdapter contract: how do I submit, is this callback genuine, what does it say, what do these statuses mean.
 * Core does everything else. An adapter has no state, no timers, no clock of its own and no `process.env`.
 */
import type * as v from 'valibot';
import type { AckContext, Acknowledgement, Parsed, Verified, RawCallback, Verdict } from './callback.ts';
import type { DeclineCode } from './statuses/decline-codes.ts';
import type { StatusMapping, StatusReport } from './event.ts';
import type { Outcome } from './outcome.ts';
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

/** When core asks about a payment whose outcome it does not know; seconds after the submission ended. */
export interface ReconcilePolicy {
  /** Delays between one question and the next, from the end of the submission on. */
  readonly stepsSeconds: readonly number[];
  /** After the last step: every so many seconds. */
  readonly thenEverySeconds: number;
  /** Then the payment needs review. */
  readonly giveUpAfterSeconds: number;
}

/** The usual policy: soon at first, then more and more seldom, for three days. */
export const defaultReconcilePolicy: ReconcilePolicy = {
  stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
  thenEverySeconds: 21_600,
  giveUpAfterSeconds: 259_200,
};

/** The largest body of a callback, in bytes, where its route does not say. */
export const defaultMaxBodyBytes = 65_536;

/** What can be said about a provider as data: checked by the loader, printed by the commands, held to by the kit. */
export interface Manifest<Options, I extends InputKind = InputKind, F extends PayerField = PayerField> {
  /** The name in config, such as `provider-a`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** The specification's provider code. */
  readonly code: number;
  /** Range of contract versions, such as `^2.0`. */
  readonly contract: string;
  /** How the payer's data may come in; `submit` gets one of these. */
  readonly inputs: readonly I[];
  /**
   * Bounds narrower than the interface's, as a loose object schema over the merchant's body; its issues become VAL002
   * before the provider is asked.
   */
  readonly bounds?: v.GenericSchema;
  /** The ways to pay; the first is the one of a submission, unless `methodOf` says otherwise. */
  readonly ways: readonly [Way<F>, ...Way<F>[]];
  /**
   * The most digits of an amount in minor units that the provider takes. A larger amount is VAL002, and never reaches
   * `submit` or `refund`; neither does one that the currency cannot express.
   */
  readonly maxMinorDigits?: number;
  /** ISO 4217 codes, or `any`. */
  readonly currencies: 'any' | readonly string[] | ((options: Options) => readonly string[]);
  /** Cryptocurrencies that a price may be in, beside `currencies`: `unit: "BTC"`. Those of `isCryptocurrency`. */
  readonly cryptocurrencies?: readonly string[];
  /** Where `unit` is not the currency itself: the currency by unit. A unit that is missing here is VAL002. */
  readonly units?: Readonly<Record<string, string>>;
  /** The coin that its method `crypto` is paid in, for the payer: `BTC`. Absent: the payer reads no coin's name. */
  readonly coin?: (options: Options) => string;
  /** Payer countries, two capitals; absent: any. */
  readonly countries?: readonly string[];
  /** A strict object with at least `baseUrl` and `sandboxBaseUrl`; secrets marked with `secret`. */
  readonly options: v.GenericSchema<unknown, Options>;
  /** The provider's decline words. */
  readonly declines: Readonly<Record<string, DeclineCode>>;
  /** Left out: `defaultReconcilePolicy`. */
  readonly reconcile?: ReconcilePolicy;
  /** What `refund` cannot do without: while it is not known, core answers *nothing charged* itself. */
  readonly refundNeeds?: 'providerReference';
  /**
   * `never`: the provider cannot recognise the repetition of a refund. Core never repeats one whose outcome is unknown,
   * and asks `fetchStatus` what came of it, which says by `showsAllRefunds` that there is no other. Left out: `safe`.
   */
  readonly repeatRefund?: 'safe' | 'never';
  /** What makes a repetition safe at this provider, in a sentence. */
  readonly idempotency: string;
  /** What to enter in the provider's console, in sentences; `{publicUrl}` is replaced by the gateway's address. */
  readonly console?: readonly string[];
  /**
   * What the author of a new adapter has yet to decide, a sentence each. While there is any, the kit fails and the loader
   * refuses the adapter: nothing of a scaffold's suggestions meets real money by accident.
   */
  readonly undecided?: Readonly<Record<string, string>>;
}

/** One address that the provider, or the payer's browser, calls: `/callbacks/<path>`. */
export interface CallbackRoute<Options, P = unknown> {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Who calls: a `browser` gets pages and redirects. */
  readonly caller: 'server' | 'browser';
  /** What it reports, in a word or two, for the documentation. */
  readonly reports: string;
  /** Content types that its body comes under, for the documentation: `application/json`. Core reads any. */
  readonly contentTypes?: readonly string[];
  /** Parameters that its query has, for the documentation. Core reads none. */
  readonly queryParameters?: readonly string[];
  /**
   * The largest body that it takes, in bytes; left out: `defaultMaxBodyBytes`. A larger one is not read, and answered as
   * malformed; so is one that holds more JSON values than `maxJsonValues` of it.
   */
  readonly maxBodyBytes?: number;
  /** Is it genuine? May ask the provider for a key. There is no default that says yes. */
  verifySignature(raw: RawCallback, ctx: AdapterContext<Options>): Verdict<P> | Promise<Verdict<P>>;
  /** What does it say? Only what was verified can be read. */
  parseCallback(verified: Verified<P>, ctx: AdapterContext<Options>): Parsed;
  /** The bytes that the provider expects, for every outcome; left out: 200 `OK`. */
  acknowledge?(context: AckContext<P>, ctx: AdapterContext<Options>): Acknowledgement;
  /** Answers a provider's handshake, which is verified, holds no event, and is not stored; undefined: no handshake. */
  probe?(verified: Verified<P>, ctx: AdapterContext<Options>): Acknowledgement | undefined;
}

/** One thing that `checkAccount` looked at. */
export interface AccountFinding {
  readonly ok: boolean;
  /** What was found, in a sentence, without a secret. */
  readonly finding: string;
  /** What to do about it, where it is not ok. */
  readonly cure?: string;
}

export interface ProviderAdapter<
  Options = unknown,
  I extends InputKind = InputKind,
  F extends PayerField = PayerField,
> {
  readonly manifest: Manifest<Options, I, F>;
  submit(payment: Submission<I, F>, ctx: AdapterContext<Options>): Promise<Outcome>;
  // Each route has a verified type of its own; core never looks inside it.
  readonly callbacks: readonly CallbackRoute<Options, never>[];
  /** What do the provider's statuses mean? `statusTable` makes it. */
  readonly mapStatus: StatusMapping;
  /** The method of a submission, where it depends on the input. */
  methodOf?(payment: Submission<I, F>, options: Options): PaymentMethod;
  /**
   * Goes on after a 3D Secure step, a return or a member code. Repeating it must be safe. Only a decline ends the payment:
   * core takes `nothingCharged` for unknown here, for an earlier completion may have charged.
   */
  complete?(payment: StoredPayment, step: CompletionStep, ctx: AdapterContext<Options>): Promise<Outcome>;
  /** What is the state of the payment? `subReference` names the refund or case that a callback was about. */
  fetchStatus?(payment: StoredPayment, ctx: AdapterContext<Options>, subReference?: string): Promise<StatusReport>;
  /**
   * Gives money back; repeating the same `refund.reference` must be safe. A repetition that the provider turns away (401,
   * 403, 408, 429, 5xx) says nothing of the first: core asks again.
   */
  refund?(payment: StoredPayment, refund: RefundRequest, ctx: AdapterContext<Options>): Promise<Outcome>;
  /**
   * Collects money of an authorised payment, once. Repeating the same `capture.reference` must be safe; a provider that
   * refuses is `nothingCharged`, and the payment stays authorised.
   */
  capture?(payment: StoredPayment, capture: CaptureRequest, ctx: AdapterContext<Options>): Promise<Outcome>;
  /**
   * Releases the money of an authorised payment; `succeeded` says that it is released. Repeating the same
   * `release.reference` must be safe.
   */
  void?(payment: StoredPayment, ctx: AdapterContext<Options>, release: VoidRequest): Promise<Outcome>;
  /** Asks the provider whether our account is fit for payments of this side, for `paywright doctor`. Charges nothing. */
  checkAccount?(ctx: AdapterContext<Options>): Promise<readonly AccountFinding[]>;
  /** Informs the provider that what a fetch reported is stored. */
  markSeen?(
    payment: StoredPayment,
    seenToken: string,
    ctx: AdapterContext<Options>,
  ): Promise<'done' | 'changed' | 'later'>;
  /**
   * Seconds until the next status fetch of a pending payment, where the manifest's policy does not say it; undefined:
   * it needs review. `asked` counts the fetches so far.
   */
  nextFetch?(payment: StoredPayment, asked: number, now: Date): number | undefined;
}

/**
 * One member of an adapter, for a file of its own: `const refund: Ability<'refund', Options> = async (payment, refund, ctx) =>
 * …`, and `Ability<'submit', Options, 'card'>` with the adapter's inputs.
 */
export type Ability<
  Name extends keyof ProviderAdapter,
  Options,
  I extends InputKind = InputKind,
  F extends PayerField = PayerField,
> = Required<ProviderAdapter<Options, I, F>>[Name];

/**
 * Gives the adapter its types, which follow from its manifest: `ctx.options` from `options`, the submission's member from
 * `inputs`, the payer's certain fields from `ways`. The result is what a package exports by default.
 */
export function defineAdapter<Options, const I extends InputKind = InputKind, const F extends PayerField = PayerField>(
  adapter: ProviderAdapter<Options, I, F>,
): ProviderAdapter<Options> {
  // What `submit` takes is narrower than what core may give, and core keeps to the manifest.
  return adapter as unknown as ProviderAdapter<Options>;
}

/** Gives a route its verified type: `P` is what `verifySignature` gives as genuine. */
export function defineRoute<Options, P>(route: CallbackRoute<Options, P>): CallbackRoute<Options, never> {
  return route as unknown as CallbackRoute<Options, never>;
}
