/** The server's callbacks. A repeated delivery has another number and other bytes, but is still the same event. */
import type { CallbackReply, SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Message, type ScenarioMessage } from '@paywright/contract/sandbox';
import { signatureOf } from '../wire.ts';
import type { Options } from '../options.ts';
import { after, type Invoice, type Refund } from './invoices.ts';
import type { Step } from './scenarios.ts';

export interface Hooks {
  /** A change of an invoice. */
  scenario(invoice: Invoice, steps: readonly Step[]): readonly ScenarioMessage[];
  /** A change of a refund. */
  refundScenario(invoice: Invoice, refund: Refund, states: readonly Refund['state'][]): readonly Message[];
  /** The current state of an invoice. */
  invoiceState(invoice: Invoice): Delivered;
  /** The current state of a refund. */
  refundState(invoice: Invoice, refund: Refund, at: number): Delivered;
  /** Any event. */
  event(hook: string, said: Readonly<Record<string, unknown>> & { readonly type: string }, at: number): Delivered;
}
type Delivered = Pick<ScenarioMessage, 'name' | 'request' | 'acknowledged'>;

export function isTaken({ status }: CallbackReply): boolean {
  return status >= 200 && status < 300;
}

/** The server repeats only after these statuses. Any other answer is final. */
function isWorthRepeating({ status }: CallbackReply): boolean {
  return status === 408 || status === 429 || status >= 500;
}

export function createHooks({ options, delayMs }: SandboxSetup<Options>): Hooks {
  const { storeId, hookSecrets } = options;
  const secret = hookSecrets[0]!;

  const event: Hooks['event'] = (hook, said, at) => {
    let firstDeliveryNo: string | undefined;
    let isFinal = false;
    return {
      name: said.type,
      acknowledged(reply) {
        isFinal = !isTaken(reply) && !isWorthRepeating(reply);
        return isTaken(reply);
      },
      request({ forged }) {
        if (isFinal) return undefined;
        const deliveryNo = newId('dl_', 12);
        const resent = firstDeliveryNo !== undefined;
        firstDeliveryNo ??= deliveryNo;
        const time = Math.floor(at / 1000);
        const body = Buffer.from(JSON.stringify({ deliveryNo, firstDeliveryNo, resent, ...said, storeId, time }));
        const signature = signatureOf(forged ? wrongSecret(secret) : secret, body).toString('hex');
        const headers = {
          'Content-Type': 'application/json',
          'X-Cr-Delivery': deliveryNo,
          'X-Cr-Sig': `sha256=${signature}`,
        };
        return { method: 'POST', url: hook, headers, body };
      },
    };
  };

  const invoiceState: Hooks['invoiceState'] = ({ id, ref, hook, state, flags, share, reason, at }) => {
    const marks = {
      ...(flags.includes('late') ? { afterExpiry: true } : {}),
      ...(flags.includes('over') ? { overpaid: true } : {}),
      ...(state === 'expired' && share !== '0' ? { partial: true } : {}),
      ...(reason === null ? {} : { reason }),
    };
    return event(
      hook,
      { type: state === 'new' ? 'invoice.created' : `invoice.${state}`, invoice: id, ref, ...marks },
      at,
    );
  };

  const refundState: Hooks['refundState'] = ({ id, ref, hook }, refund, at) =>
    event(hook, { type: `refund.${refund.state}`, invoice: id, ref, refund: refund.id }, at);

  return {
    event,
    invoiceState,
    refundState,

    scenario(invoice, steps) {
      // Growing times, even without a delay.
      const [begun, apart] = [Math.max(Date.now(), invoice.at), Math.max(delayMs, 1)];
      let before = invoice;
      return steps.map((step, index) => {
        const then = (before = after(before, step, begun + (index + 1) * apart));
        // A report after the end undoes nothing.
        return { ...invoiceState(then), happens: () => (then.at > invoice.at ? update(invoice, then) : undefined) };
      });
    },

    refundScenario: (invoice, refund, states) =>
      states.map((state, index) => {
        const reported = refundState(invoice, { ...refund, state }, Date.now() + (index + 1) * delayMs);
        return {
          ...reported,
          after: index + 1,
          request(sending) {
            if (sending.number === 1) refund.state = state;
            return reported.request(sending);
          },
        };
      }),
  };
}

function update(invoice: Invoice, { state, flags, share, reason, at }: Invoice): void {
  Object.assign(invoice, { state, flags, share, reason, at });
}
