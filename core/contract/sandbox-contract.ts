/** The provider's side, simulated: what an adapter package exports as `<package>/sandbox`. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a sandbox is told when it starts. */
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
}

export interface Sandbox {
  /** Answers one request to the provider. */
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Forgets timers and waiting deliveries. */
  close(): Promise<void>;
}

/** The default export of `<package>/sandbox`. */
export type CreateSandbox<Options = unknown> = (setup: SandboxSetup<Options>) => Sandbox;
