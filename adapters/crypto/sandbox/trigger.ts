/** Callbacks on demand. A fetch reports the same afterwards. An unknown invoice is made from the facts. */
import {
  formatAmount,
  payPage,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { newId, sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { callbackStatuses } from '../statuses.ts';
import type { Hooks } from './hooks.ts';
import { after, openInvoice, type Invoice, type Invoices, type Refund } from './invoices.ts';
import { settled, steps, type State, type Step } from './scenarios.ts';

const settledOtherwise = {
  'invoice.settled afterExpiry': settled('late'),
  'invoice.settled overpaid': settled('over'),
} as const;

/** The server's spelling. */
export const events: readonly string[] = [
  ...Object.keys(callbackStatuses.payment),
  ...Object.keys(settledOtherwise),
  ...Object.keys(callbackStatuses.refund),
  'hook.test',
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'invoice.processing',
  'payment.underpaid': 'invoice.partial',
  'payment.succeeded': 'invoice.settled',
  'payment.failed': 'invoice.invalid',
  'payment.expired': 'invoice.expired',
  'payment.refunded': 'refund.done',
  'payment.refund_failed': 'refund.failed',
  'payment.refund_reversed': 'refund.reversed',
};

/** Creates the sandbox's `trigger`. It rejects with a RangeError for an unlisted event. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  invoices: Invoices,
  hooks: Hooks,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  const hook = `${publicUrl}/callbacks/crypto`;

  /** The invoice that the facts name. A forged event does not change it. */
  function invoiceOf({ reference: ref, providerReference: id, money: price, forge }: Trigger): Invoice {
    const known = id === null ? invoices.byRef(ref) : invoices.byId(id);
    if (known?.ref === ref) return forge ? { ...known } : known;
    const { coin, minutes } = options;
    const back = payPage(publicUrl, ref) ?? publicUrl;
    const opened = openInvoice({ id: id ?? newId('inv_', 12), ref, price, coin, minutes, hook, back });
    if (!forge) invoices.keep(opened);
    return opened;
  }

  return async (trigger) => {
    const { event, money, reference, forge } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const at = Date.now();
    if (event === 'hook.test') {
      return sendOnDemand(hooks.event(hook, { type: event, invoice: null, ref: null }, at), trigger);
    }
    const invoice = invoiceOf(trigger);
    const scenario = invoice.scenario + 1;
    const [kind, state = ''] = event.split('.');
    if (kind === 'refund') {
      // The id comes from the refunded sum, so that later events on demand are about the same refund.
      const id = `rf_${reference}-${formatAmount(money)}`;
      const refund: Refund = { id, invoice: invoice.id, sum: money, state: state as Refund['state'] };
      // A refunded invoice was paid.
      if (invoice.state === 'new') Object.assign(invoice, { ...after(invoice, steps.settled, at), scenario });
      if (!forge) invoices.keepRefund(invoice, id, refund);
      return sendOnDemand(hooks.refundState(invoice, refund, at), trigger);
    }
    Object.assign(invoice, { ...after({ ...invoice, price: money }, stepOf(event), at), scenario });
    return sendOnDemand(hooks.invoiceState(invoice), trigger);
  };
}

function stepOf(event: string): Step {
  if (event in settledOtherwise) return settledOtherwise[event as keyof typeof settledOtherwise];
  return event === 'invoice.created' ? steps.new : steps[event.replace('invoice.', '') as State];
}
