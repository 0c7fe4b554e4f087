/** The messages of New Provider, sealed again for each delivery. */
import { JsonNumber, stringifyExact, type RawCallback } from '@paywright/contract';
import { wrongSecret, type Message } from '@paywright/contract/sandbox';
import type { Message as Reported } from '../callbacks/new-provider.ts';
import type { Options } from '../options.ts';
import { seal, sealHeader } from '../signing.ts';

/** When the messages of `fixtures/vectors.json` were sealed. */
const sampleSeconds = '1772445600';

/** The members that every message about a payment repeats. */
export interface About {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly noticeUrl: string;
}

/** The content of one message. Without an amount, the amount of the payment is used. */
export interface News {
  readonly kind: Reported['kind'];
  readonly status: string;
  readonly about?: string;
  readonly amount?: string;
  readonly reason?: string;
}

/** Seals a sample again after its body was changed, for `paywright vectors … --sign` and the conformance kit. */
export function signCallback(raw: RawCallback, { noticeSecrets: [secret = ''] }: Options): RawCallback {
  return { ...raw, headers: [[sealHeader, seal(secret, sampleSeconds, raw.body)]] };
}

/** `after` counts sandbox delays. `happens` runs when the message is first sent. */
export type Notify = (order: About, news: News, after: number, happens?: () => void) => Message;

export function createNotify({ account, noticeSecrets: [secret = ''] }: Options): Notify {
  return ({ id, reference, amount, currency, noticeUrl }, news, after, happens) => {
    const { kind, status, about = null, reason = null } = news;
    const minor = new JsonNumber(news.amount ?? amount);
    const reported = {
      account,
      mode: 'test',
      kind,
      payment: id,
      about,
      reference,
      amount: minor,
      currency,
      status,
      reason,
      ...(kind === 'chargeback' ? { respondUntil: '2030-01-31' } : {}),
    };
    const body = stringifyExact(reported);
    return {
      name: `${kind} ${status}`,
      after,
      request({ number, forged }) {
        if (number === 1) happens?.();
        const seconds = String(Math.floor(Date.now() / 1000));
        const value = seal(forged ? wrongSecret(secret) : secret, seconds, Buffer.from(body));
        const headers = { 'Content-Type': 'application/json', [sealHeader]: value };
        return { method: 'POST', url: noticeUrl, headers, body };
      },
    };
  };
}
