/** Acme's side: charges the requested amount, and reports it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createDeliveries } from '../../sandbox/index.ts';
import type { CreateSandbox } from '../../index.ts';
import { sealHeader, type Options } from './protocol.ts';

interface Charge {
  readonly ref: string;
  readonly minor: number;
  readonly cur: string;
}

/** A sandbox that seals its notices with the key of `keyOf`. */
export function createAcmeSandbox(keyOf = (options: Options) => options.sealKeys[0]!): CreateSandbox<Options> {
  return ({ options, publicUrl, delayMs, onDelivery }) => {
    const charges = new Map<string, Charge>();
    const deliveries = createDeliveries({
      delayMs,
      repeatAfter: [1, 1],
      acknowledged: ({ status }) => status === 200,
      onDelivery,
    });
    const notice = ({ ref, minor, cur }: Charge) =>
      JSON.stringify({ notice: `n-${ref}`, shop: options.shop, ref, id: `ac-${ref}`, state: 'paid', minor, cur });

    async function charge(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Charge;
      if (request.url?.endsWith('/back')) {
        const ref = request.headers['idempotency-key'];
        response.end(JSON.stringify({ id: 'ab-1', ref, state: 'waiting', minor: asked.minor }));
        return;
      }
      charges.set(asked.ref, asked);
      const body = Buffer.from(notice(asked));
      await deliveries.play([
        {
          name: 'paid',
          after: 1,
          request: () => ({
            method: 'POST',
            url: `${publicUrl}/callbacks/acme`,
            headers: { 'X-Acme-Seal': sealHeader(keyOf(options), String(Math.floor(Date.now() / 1000)), body) },
            body,
          }),
        },
      ]);
      response.end(JSON.stringify({ id: `ac-${asked.ref}`, ref: asked.ref, state: 'paid', minor: asked.minor }));
    }

    return {
      async handle(request, response) {
        if (request.method === 'POST') return charge(request, response);
        const found = charges.get((request.url ?? '').split('/').at(-1) ?? '');
        response.statusCode = found ? 200 : 404;
        response.end(found ? notice(found) : '{}');
      },
      close: () => deliveries.close(),
    };
  };
}
