/** The server's webhooks. A repeated delivery has another id and other bytes, and names the first one. */
import type { CallbackReply, SandboxSetup } from '@paywright/contract';
import { shareOfCoins, wrongSecret, type Message, type ScenarioMessage } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { signatureOf } from '../wire.ts';
import { after, newId, update, type Invoice, type Refund } from './books.ts';
import { inCoins, isTaken, showPayment } from './present.ts';
import type { Claim, Step } from './scenarios.ts';

type Delivered = Pick<ScenarioMessage, 'name' | 'request' | 'acknowledged'>;

export interface Hooks {
  /** The steps of an invoice. */
  scenario(invoice: Invoice, steps: readonly Step[]): readonly ScenarioMessage[];
  /** The steps of a refund. */
  refundScenario(refund: Refund, claims: readonly Claim[]): readonly Message[];
  /** A step that an invoice has made. */
  ofInvoice(invoice: Invoice, step: Pick<Step, 'type' | 'says'>): Delivered;
  /** Reports a new refund. */
  ofRefund(refund: Refund): Delivered;
  ofClaim(refund: Refund, claim: Claim): Delivered;
}

/** Only these answers cause a repetition. Any other answer is final. */
function isWorthRepeating({ status }: CallbackReply): boolean {
  return status === 408 || status === 429 || status >= 500;
}

export function createHooks({ options, publicUrl, delayMs }: SandboxSetup<Options>): Hooks {
  const { storeId, paymentMethod, webhookSecrets } = options;
  const url = `${publicUrl}/callbacks/btcpay`;
  const secret = webhookSecrets[0]!;
  const webhookId = 'VC3CwUbRCnDXwVqLiCqLx4';

  function event(name: string, type: string, at: number, said: () => object): Delivered {
    let originalDeliveryId: string | undefined;
    let isFinal = false;
    return {
      name,
      acknowledged(reply) {
        isFinal = !isTaken(reply) && !isWorthRepeating(reply);
        return isTaken(reply);
      },
      request({ forged }) {
        if (isFinal) return undefined;
        const deliveryId = newId();
        const isRedelivery = originalDeliveryId !== undefined;
        originalDeliveryId ??= deliveryId;
        const head = {
          deliveryId,
          webhookId,
          originalDeliveryId,
          isRedelivery,
          type,
          timestamp: Math.floor(at / 1000),
        };
        const body = Buffer.from(JSON.stringify({ ...said(), ...head, storeId }, null, 2));
        const signature = signatureOf(forged ? wrongSecret(secret) : secret, body).toString('hex');
        const headers = { 'Content-Type': 'application/json', 'BTCPay-Sig': `sha256=${signature}` };
        return { method: 'POST', url, headers, body };
      },
    };
  }

  const ofInvoice: Hooks['ofInvoice'] = (invoice, { type, says }) => {
    const { id: invoiceId, metadata, price, share, at } = invoice;
    const payment = showPayment(invoice, shareOfCoins(inCoins(price, options), share));
    const paid = says && 'afterExpiration' in says ? { paymentMethodId: paymentMethod, payment } : {};
    return event(type, type, at, () => ({ ...says, ...paid, invoiceId, metadata }));
  };

  const ofRefund: Hooks['ofRefund'] = ({ id: pullPaymentId, invoice, createdAt }) =>
    event('InvoiceRefund', 'InvoiceRefund', createdAt, () => {
      return { pullPaymentId, invoiceId: invoice.id, metadata: invoice.metadata };
    });

  const ofClaim: Hooks['ofClaim'] = ({ id: pullPaymentId, payoutId }, { type, state: payoutState }) =>
    event(`${type} ${payoutState}`, type, Date.now(), () => ({ payoutId, pullPaymentId, payoutState }));

  return {
    ofInvoice,
    ofRefund,
    ofClaim,

    scenario(invoice, steps) {
      // Times must increase, also without a delay.
      const [begun, apart] = [Math.max(Date.now(), invoice.at), Math.max(delayMs, 1)];
      let before = invoice;
      return steps.map((step, index) => {
        const then = (before = after(before, step, begun + (index + 1) * apart));
        // A report after the end does not undo the end.
        return { ...ofInvoice(then, step), happens: () => (then.at > invoice.at ? update(invoice, then) : undefined) };
      });
    },

    refundScenario: (refund, claims) => [
      { ...ofRefund(refund), after: 1 },
      ...claims.map((claim, index): Message => {
        const reported = ofClaim(refund, claim);
        return {
          ...reported,
          after: index + 2,
          request(sending) {
            if (sending.number === 1) claimed(refund, claim);
            return reported.request(sending);
          },
        };
      }),
    ],
  };
}

/** Applies a claim to a refund. In this sandbox, a cancelled claim means that the refund was archived. */
export function claimed(refund: Refund, { state }: Claim): void {
  refund.state = state;
  if (state === 'Cancelled') refund.archived = true;
}
