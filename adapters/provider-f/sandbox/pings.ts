/**
 * How F pings: once one delay after each change, and again after every two delays until the change was seen, at most
 * five times.
 */
import { formType, writeForm, type SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Deliveries, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { pingMac } from '../signing.ts';
import type { Deal } from './deals.ts';

const MAX_PINGS = 5;

export interface Pings {
  /**
   * Pings the last change. With `early` and rule `.55` the first ping is sent immediately, and its answer is awaited.
   */
  notify(deal: Deal, rule: Deal['rule'], early?: boolean): Promise<void>;
  /** Sends one ping about any id. */
  request: (id: string, forged: boolean) => ReturnType<Message['request']>;
}

export function createPings({ options, publicUrl }: SandboxSetup<Options>, deliveries: Deliveries): Pings {
  const secret = options.pingSecrets.find((one) => one !== '');

  function signOf(id: string, request: string, forged: boolean): string | undefined {
    if (secret === undefined && !forged) return undefined;
    const ts = String(Date.now());
    const key = forged ? wrongSecret(secret ?? '') : secret!;
    return `ts=${ts},v1=${pingMac(key, { id, request, ts }).toString('hex')}`;
  }

  const request: Pings['request'] = (id, forged) => {
    const form = writeForm({ f_id: id });
    const requestId = newId('rq-', 12);
    const sign = signOf(id, requestId, forged);
    return {
      method: 'POST',
      url: `${publicUrl}/callbacks/providerF?${form}`,
      headers: { 'Content-Type': formType, 'X-F-Request': requestId, ...(sign ? { 'X-F-Sign': sign } : {}) },
      body: form,
    };
  };

  return {
    request,
    notify(deal, rule, early = false) {
      const { mark, phase } = deal;
      // The pings that a rule demands are sent even if the first ping was seen quickly.
      const least = rule === '.54' ? 3 : rule === '.56' ? 2 : 0;
      let sent = 0;
      const ping = (after: number, repeats = true): Message => ({
        name: `ping ${phase} ${mark}`,
        after,
        request({ number, forged }) {
          if (sent >= MAX_PINGS || (sent >= least && deal.seen >= mark)) return undefined;
          sent += 1;
          if (number === 1 && repeats) void deliveries.play([ping(2)]);
          return request(deal.id, forged);
        },
      });
      if (rule === '.56') return deliveries.play([ping(1), ping(1, false)]);
      return deliveries.play([ping(1)], rule === '.55' && !early ? undefined : rule);
    },
  };
}
