/** Callbacks on demand. What is reported is so from then on, for it will be fetched: made of the facts where it is not known. */
import { formatAmount, payPage, type CallbackReply, type SandboxSetup, type Trigger } from '@paywright/contract';
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

/** In the server's spelling. */
export const events: readonly string[] = [
  ...Object.keys(callbackStatuses.payment),
  ...Object.keys(settledOtherwise),
  ...Object.keys(callbackStatuses.refund),
  'hook.test',
];

/** What `trigger` of the sandbox does; rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  invoices: Invoices,
  hooks: Hooks,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  const hook = `${publicUrl}/callbacks/crypto`;

  /** The invoice that the facts name; a forger changes nothing of it. */
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
    if (!events.includes(event)) throw new RangeError(`no event ${event}: use one of ${events.join(', ')}`);
    const at = Date.now();
    if (event === 'hook.test') {
      return sendOnDemand(hooks.event(hook, { type: event, invoice: null, ref: null }, at), trigger);
    }
    const invoice = invoiceOf(trigger);
    const scenario = invoice.scenario + 1;
    const [kind, state = ''] = event.split('.');
    if (kind === 'refund') {
      // Named by what is given back, so that what comes after on demand is about the same refund.
      const id = `rf_${reference}-${formatAmount(money)}`;
      const refund: Refund = { id, invoice: invoice.id, sum: money, state: state as Refund['state'] };
      // What comes back was paid.
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
