/**
 * The ProviderAdapter contract: how do I submit, is this callback genuine, what does it say, what do these words mean.
 * Core does everything else. An adapter has no state, no timers, no clock of its own and no `process.env`.
 */
import type * as v from 'valibot';
import type { AckContext, Acknowledgement, Parsed, Proven, RawCallback, Verdict } from './callback.ts';
import type { EventKind, EventStatus, ReportedEvent, StatusReport } from './event.ts';
import type { DeclineCode, Outcome } from './outcome.ts';
import type { CompletionStep, InputKind, PaymentMethod, RefundRequest, StoredPayment, Submission } from './payment.ts';
import type { Provider } from './provider.ts';

/** Version of this contract. An adapter names the range that it was written for (`^1.0`) in its manifest. */
export const contractVersion = '1.0.0';

/** When core asks about a payment whose outcome it does not know; seconds after the submission ended. */
export interface ReconcilePolicy {
  /** Delays between one question and the next, from the end of the submission on. */
  readonly stepsSeconds: readonly number[];
  /** After the last step: every so many seconds. */
  readonly thenEverySeconds: number;
  /** Then it is put aside for a person. */
  readonly giveUpAfterSeconds: number;
}

/** What can be said about a provider as data: checked by the loader, printed by the commands, held to by the kit. */
export interface Manifest<Options> {
  /** The name in config, such as `provider-a`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** The specification's provider code. */
  readonly code: number;
  /** Range of contract versions, such as `^1.0`. */
  readonly contract: string;
  readonly inputs: readonly InputKind[];
  /**
   * Bounds narrower than the interface's, as a loose object schema over the merchant's body; its issues become VAL002
   * before the provider is asked.
   */
  readonly bounds?: v.GenericSchema;
  /** The first is the one of a submission, unless `methodOf` says otherwise. */
  readonly methods: readonly PaymentMethod[];
  /** ISO 4217 codes, or `any`. */
  readonly currencies: 'any' | readonly string[] | ((options: Options) => readonly string[]);
  /** Where `unit` is not the currency itself: the currency by unit. A unit that is missing here is VAL002. */
  readonly units?: Readonly<Record<string, string>>;
  /** Payer countries, two capitals; absent: any. */
  readonly countries?: readonly string[];
  /** A strict object with at least `baseUrl` and `sandboxBaseUrl`; secrets marked with `secret`. */
  readonly options: v.GenericSchema<unknown, Options>;
  /** The provider's decline words. */
  readonly declines: Readonly<Record<string, DeclineCode>>;
  /** Words that callbacks and fetches may carry, by kind: the kit holds `mapStatus` to it. */
  readonly words: { readonly [K in EventKind]?: readonly string[] };
  readonly reconcile: ReconcilePolicy;
  /** What makes a repetition safe at this provider, in a sentence. */
  readonly idempotency: string;
  /** What to enter in the provider's console, in sentences; `{publicUrl}` stands for the gateway's address. */
  readonly console?: readonly string[];
  /** The provider can do 3D Secure. */
  readonly threeDs?: boolean;
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
  /** Is it genuine? May ask the provider for a key. There is no default that says yes. */
  verifySignature(raw: RawCallback, provider: Provider<Options>): Verdict<P> | Promise<Verdict<P>>;
  /** What does it say? Only what was proven can be read. */
  parseCallback(proven: Proven<P>, provider: Provider<Options>): Parsed;
  /** The bytes that the provider expects, for every outcome; left out: 200 `OK`. */
  acknowledge?(context: AckContext<P>, provider: Provider<Options>): Acknowledgement;
  /** Answers a provider's handshake, which is proven, holds no event, and is not stored; undefined: no handshake. */
  probe?(proven: Proven<P>, provider: Provider<Options>): Acknowledgement | undefined;
}

export interface ProviderAdapter<Options = unknown> {
  readonly manifest: Manifest<Options>;
  submit(payment: Submission, provider: Provider<Options>): Promise<Outcome>;
  // Each route has a proven type of its own; core never looks inside it.
  readonly callbacks: readonly CallbackRoute<Options, never>[];
  /** What does the provider's word mean? Pure and total; a word that nobody knows is `unknown`. */
  mapStatus(event: ReportedEvent): EventStatus;
  /** The method of a submission, where it depends on the input. */
  methodOf?(payment: Submission, options: Options): PaymentMethod;
  /**
   * Goes on after a 3D Secure step, a return or a member code. Repeating it must be safe. Only a decline ends the payment:
   * core takes `nothingCharged` for unknown here, for an earlier completion may have charged.
   */
  complete?(payment: StoredPayment, step: CompletionStep, provider: Provider<Options>): Promise<Outcome>;
  /** How does the payment stand? `subReference` names the refund or case that a callback was about. */
  fetchStatus?(payment: StoredPayment, provider: Provider<Options>, subReference?: string): Promise<StatusReport>;
  /**
   * Gives money back; repeating the same `refund.reference` must be safe. A repetition that the provider turns away (401,
   * 403, 408, 429, 5xx) says nothing of the first: core asks again.
   */
  refund?(payment: StoredPayment, refund: RefundRequest, provider: Provider<Options>): Promise<Outcome>;
  /** Tells the provider that what a fetch reported is stored. */
  afterCommit?(
    payment: StoredPayment,
    commitNote: string,
    provider: Provider<Options>,
  ): Promise<'done' | 'changed' | 'later'>;
  /**
   * Seconds until the next status fetch of a pending payment, where the manifest's policy does not say it; undefined:
   * put aside for a person. `asked` counts the fetches so far.
   */
  nextFetch?(payment: StoredPayment, asked: number, now: Date): number | undefined;
}

/** Gives the adapter its types. The result is what a package exports by default. */
export function defineAdapter<Options>(adapter: ProviderAdapter<Options>): ProviderAdapter<Options> {
  return adapter;
}

/** Gives a route its proven type: `P` is whatever `verifySignature` proves. */
export function defineRoute<Options, P>(route: CallbackRoute<Options, P>): CallbackRoute<Options, never> {
  return route as unknown as CallbackRoute<Options, never>;
}
