/** The simulated provider: what an adapter package exports as `<package>/sandbox`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Money } from '../money/money.ts';

/**
 * The provider's half of key pairs (private keys): `providerSide` of a vectors file, and `sandbox.options` of the
 * config.
 */
export type ProviderSide = Readonly<Record<string, unknown>>;

/** What a sandbox receives when it starts. */
export interface SandboxSetup<Options = unknown> {
  /** The adapter's options that the gateway runs with: they hold the secrets that both sides share. */
  readonly options: Options;
  /** The options of the adapter's further accounts in config. Since contract 2.1. */
  readonly otherAccounts?: readonly Options[];
  /** Empty if the protocol has no key pairs. */
  readonly providerSide: ProviderSide;
  /** The sandbox's own address, without a trailing slash; paths begin after it. */
  readonly baseUrl: string;
  /** The gateway's public address, for callback addresses that are registered, not sent. */
  readonly publicUrl: string;
  /** The sandbox delay in milliseconds. */
  readonly delayMs: number;
  /** Observes every sending of a callback; for tests and demonstrations. */
  readonly onDelivery?: (report: DeliveryReport) => void;
}

/** The provider that a sandbox simulates, for the page at its root. Since contract 2.1. */
export interface SandboxProvider {
  /** The adapter's name, as commands know it. */
  readonly name: string;
  readonly title: string;
  readonly code: number;
  readonly inputs: readonly string[];
}

/** One sending of a callback, and its result. */
export interface DeliveryReport {
  /** What the message says, such as `CAPTURE:true`. */
  readonly name: string;
  /** Counts the sendings of this message from 1. */
  readonly number: number;
  /** Signed with a wrong secret on purpose. */
  readonly forged: boolean;
  readonly acknowledged: boolean;
  /** Absent if the message could not be made. */
  readonly request?: CallbackRequest;
  /** Absent if the gateway did not answer. */
  readonly reply?: CallbackReply;
  readonly error?: Error;
  readonly tookMs: number;
}

/** A callback to the gateway. */
export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** The complete address, with its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The gateway's answer to a callback. */
export interface CallbackReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A callback to send on demand, built from these facts alone: this sandbox need not know the payment. */
export interface Trigger {
  /** One of the sandbox's `events`. */
  readonly event: string;
  readonly reference: string;
  /** Null: no reference is known, and the sandbox invents one. */
  readonly providerReference: string | null;
  readonly money: Money;
  /** The number of deliveries; 1 or more. */
  readonly times: number;
  /** Signed with a wrong secret. */
  readonly forge: boolean;
}

/** Notifications of the gateway that a sandbox can cause. */
export const triggeredNotifications = [
  'payment.pending',
  'payment.authorised',
  'payment.underpaid',
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
  'payment.refunded',
  'payment.refund_failed',
  'payment.refund_reversed',
  'payment.refund_needs_merchant',
  'payment.charged_back',
  'payment.chargeback_reversed',
] as const;

/** For each notification the event of this sandbox that causes it. */
export type TriggerCauses = Readonly<Partial<Record<(typeof triggeredNotifications)[number], string>>>;

export interface Sandbox {
  /**
   * The events that `trigger` can send, in the terms of the provider's documentation (such as `AUTH:true`, `refund
   * done`).
   */
  readonly events?: readonly string[];
  /** Merchants' developers trigger these notifications by the same names at every provider. */
  readonly causes?: TriggerCauses;
  /** Sends one callback, signed, once per `times`; resolves with the gateway's answers. */
  trigger?(trigger: Trigger): Promise<readonly CallbackReply[]>;
  /** Answers one request to the provider. */
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Drops timers and waiting deliveries. */
  close(): Promise<void>;
}

/**
 * A value that makes the sandbox behave in a special way. The merchant's guide lists the test values of all sandboxes,
 * and a test pays with each of them.
 */
export interface TestValue {
  /**
   * The member of the merchant's body that has the value. `email`: the part before `@`. `name`: the beginning.
   * `amount`: the whole amount, or its end (`.60`). `refund`: the end of a refund's amount. `page`: a button of the
   * page of the sandbox.
   */
  readonly member: 'number' | 'token' | 'upiId' | 'email' | 'name' | 'country' | 'amount' | 'refund' | 'page';
  readonly value: string;
  /**
   * What happens. It begins with the answer to the merchant: `paid`, `declined 51`, `pending`, `challenge` (3D Secure),
   * `page` (the payer must do something) or `refused` (no charge, and no decline of a bank). For a refund it begins
   * with `failed`, `reversed`, `succeeded` or `refused`.
   */
  readonly result: string;
}

/** The default export of `<package>/sandbox`. */
export interface CreateSandbox<Options = unknown> {
  (setup: SandboxSetup<Options>): Sandbox;
  /**
   * The sandbox plays these second addresses of the provider, too (`to` of a request): by the name of the option, the
   * path that follows the sandbox's own address. `''` is that address itself, `/login` a part of it. Wherever this
   * sandbox runs, the options of test payments hold the whole address, unless the config sets the option in
   * `sandboxOptions`.
   *
   * ```ts
   * createSandbox.addresses = { loginBaseUrl: '/login' };
   * ```
   */
  addresses?: Readonly<Record<string, string>>;
  /** The test values of this provider, in addition to the cards and amounts that all sandboxes share. */
  testValues?: readonly TestValue[];
}

/** The values of the options that `addresses` names, for a sandbox at this address. */
export function sandboxAddresses(
  createSandbox: Pick<CreateSandbox<never>, 'addresses'>,
  baseUrl: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(createSandbox.addresses ?? {}).map(([name, path]) => [name, baseUrl + path]),
  );
}
