/** The client: one method per operation of the interface. */
import { writeExact } from './exact-json.ts';
import { calls } from './generated/calls.ts';
import type { GatewayClient } from './generated/types.ts';
import type { ClientOptions, WriteOptions } from './options.ts';
import { createSend } from './send.ts';
import type { Outgoing } from './send.ts';

/** Throws a TypeError if the key is missing. The methods throw a `CallError`, or the reason of the caller's signal. */
export function createClient(options: ClientOptions): GatewayClient {
  const send = createSend(options);
  const methods = Object.entries(calls).map(([name, call]) => [
    name,
    async (...given: readonly unknown[]) => send(toOutgoing(call, given)),
  ]);
  // The types of the calls and their table are generated from the same document.
  return Object.fromEntries(methods) as GatewayClient;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function toOutgoing(
  { method, path, isText }: (typeof calls)[keyof GatewayClient],
  given: readonly unknown[],
): Outgoing {
  const rest = [...given];
  const address = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const body = method === 'POST' ? (rest.shift() as object | undefined) : undefined;
  const { query = {}, idempotencyKey, signal } = (rest.shift() ?? {}) as WriteOptions<Query>;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
  return {
    method,
    path: search.size > 0 ? `${address}?${search.toString()}` : address,
    body: body && writeExact(body),
    isText: isText === true,
    idempotencyKey: method === 'POST' ? (idempotencyKey ?? crypto.randomUUID()) : undefined,
    signal,
  };
}
