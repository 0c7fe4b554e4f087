/** The provider's side, simulated: what an adapter package exports as `<package>/sandbox`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Money } from '../money/money.ts';

/** What a sandbox is given when it starts. */
export interface SandboxSetup<Options = unknown> {
  /** The adapter's options as the gateway runs with them: the shared secrets of both sides. */
  readonly options: Options;
  /** The provider's half where a protocol has one (private keys); from config, `sandbox.options`. */
  readonly providerSide: Readonly<Record<string, unknown>>;
  /** Its own address, without a slash at its end; paths begin after it. */
  readonly baseUrl: string;
  /** The gateway's public address, for callback addresses that are registered, not sent. */
  readonly publicUrl: string;
  /** The sandbox delay in milliseconds. */
  readonly delayMs: number;
  /** Watches every sending of a callback; for tests and demonstrations. */
  readonly onDelivery?: (report: DeliveryReport) => void;
}

/** One sending of a callback, and what came of it. */
export interface DeliveryReport {
  /** What the message says, such as `CAPTURE:true`. */
  readonly name: string;
  /** Counts the sendings of this message from 1. */
  readonly number: number;
  /** Signed with a wrong secret on purpose. */
  readonly forged: boolean;
  readonly acknowledged: boolean;
  /** Absent where the message could not be made. */
  readonly request?: CallbackRequest;
  /** Absent where the gateway did not answer. */
  readonly reply?: CallbackReply;
  readonly error?: Error;
  readonly tookMs: number;
}

/** A callback on its way to the gateway. */
export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** Whole, with its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What the gateway answered to a callback. */
export interface CallbackReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A callback to send on demand, built from these facts alone: the payment need not be known to this sandbox. */
export interface Trigger {
  /** One of the sandbox's `events`. */
  readonly event: string;
  readonly reference: string;
  /** Null: none is known; the sandbox makes one up. */
  readonly providerReference: string | null;
  readonly money: Money;
  /** Times that it is delivered; 1 or more. */
  readonly times: number;
  /** Signed with a wrong secret. */
  readonly forge: boolean;
}

export interface Sandbox {
  /** What `trigger` can send, in the provider's words as its book writes them (such as `AUTH:true`, `refund done`). */
  readonly events?: readonly string[];
  /** Sends one callback, signed, once per `times`; resolves with the gateway's answers. */
  trigger?(trigger: Trigger): Promise<readonly CallbackReply[]>;
  /** Answers one request to the provider. */
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Forgets timers and waiting deliveries. */
  close(): Promise<void>;
}

/** The default export of `<package>/sandbox`. */
export type CreateSandbox<Options = unknown> = (setup: SandboxSetup<Options>) => Sandbox;
