/**
 * Razorpay's webhooks: all deliveries of an event have one body. The event id is in a header that the signature does
 * not cover.
 */
import { stringifyExact, type CallbackReply, type RawCallback, type SandboxSetup } from '@paywright/contract';
import { wrongSecret, type Message } from '@paywright/contract/sandbox';
import { signatureOf } from '../wire.ts';
import type { Options } from '../options.ts';
import { newId, seconds, type Link, type Payment, type Refund } from './books.ts';
import { showLink, showPayment, showRefund } from './present.ts';

type Payload = Readonly<Record<string, unknown>>;

export interface Hooks {
  /** `payload` builds the report when the first delivery starts; `happens` changes the data at that moment. */
  notify(event: string, after: number, payload: () => Payload, happens?: () => void): Message;
  ofPayment(payment: Payment): Payload;
  ofLink(link: Link): Payload;
  ofRefund(refund: Refund): Payload;
  ofDispute(payment: Payment, dispute: Payload): Payload;
}

/** Signs a changed body again. */
export function signCallback(raw: RawCallback, { webhookSecrets: [secret = ''] }: Options): RawCallback {
  const others = raw.headers.filter(([name]) => name.toLowerCase() !== 'x-razorpay-signature');
  const signature = signatureOf(secret, raw.body).toString('hex');
  return { ...raw, headers: [...others, ['X-Razorpay-Signature', signature]] };
}

/** Any 2xx counts as accepted. */
export function isTaken({ status }: CallbackReply): boolean {
  return status >= 200 && status < 300;
}

export function createHooks({ options, publicUrl, baseUrl }: SandboxSetup<Options>): Hooks {
  const url = `${publicUrl}/callbacks/razorpay`;
  const secret = options.webhookSecrets[0]!;
  const ofPayment = (payment: Payment): Payload => ({ payment: { entity: showPayment(payment) } });
  return {
    notify(event, after, payload, happens) {
      const id = newId('');
      let body: Buffer | undefined;
      return {
        name: event,
        after,
        request({ number, forged }) {
          if (number === 1) happens?.();
          body ??= Buffer.from(stringifyExact(write(event, payload(), options)));
          const signature = signatureOf(forged ? wrongSecret(secret) : secret, body).toString('hex');
          const headers = {
            'Content-Type': 'application/json',
            'X-Razorpay-Signature': signature,
            'x-razorpay-event-id': id,
          };
          return { method: 'POST', url, headers, body };
        },
      };
    },
    ofPayment,
    ofLink(link) {
      const { payments: _shownByAnswersAlone, ...entity } = showLink(link, baseUrl);
      const payment = link.order?.payments.at(-1);
      return { payment_link: { entity }, ...(payment ? ofPayment(payment) : {}) };
    },
    ofRefund: (refund) => ({ ...ofPayment(refund.payment), refund: { entity: showRefund(refund) } }),
    ofDispute: (payment, dispute) => ({ ...ofPayment(payment), dispute: { entity: dispute } }),
  };
}

function write(event: string, payload: Payload, { accountId: account_id }: Options): Payload {
  return { entity: 'event', account_id, event, contains: Object.keys(payload), payload, created_at: seconds() };
}
