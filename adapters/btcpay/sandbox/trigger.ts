/**
 * Webhooks on demand. The data changes first, because it will be fetched. An unknown invoice is created from the given
 * facts.
 */
import {
  formatAmount,
  payPage,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { after, openInvoice, openRefund, update, type Books, type Invoice, type Refund } from './books.ts';
import { claimed, type Hooks } from './hooks.ts';
import { claims, steps, type Step } from './scenarios.ts';

/** The type of the webhook, and a detail if the type alone is ambiguous. */
export const events: readonly string[] = [...Object.keys(steps), 'InvoiceRefund', ...Object.keys(claims)];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'InvoiceProcessing',
  'payment.succeeded': 'InvoiceSettled',
  'payment.failed': 'InvoiceInvalid',
  'payment.expired': 'InvoiceExpired',
  'payment.refunded': 'PayoutUpdated Completed',
  'payment.refund_failed': 'PayoutUpdated Cancelled',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  books: Books,
  hooks: Hooks,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The invoice that the facts name. A forged event does not change it. */
  function invoiceOf({ reference: orderId, providerReference, money: price, forge }: Trigger): Invoice {
    const known = providerReference === null ? books.byOrder(orderId)[0] : books.invoices.get(providerReference);
    if (known?.orderId === orderId) return forge ? { ...known } : known;
    const asked = { metadata: { orderId }, orderId, price, minutes: options.minutes, checkout: {} };
    const back = payPage(publicUrl, orderId) ?? publicUrl;
    const opened = openInvoice({ ...asked, back, ...(providerReference === null ? {} : { id: providerReference }) });
    if (!forge) books.invoices.set(opened.id, opened);
    return opened;
  }

  /** Ids are derived from the refunded payment, so that later events on demand are about the same refund. */
  function refundOf(invoice: Invoice, { reference, money: sum, forge }: Trigger): Refund {
    const id = `demand${reference}${formatAmount(sum)}`.replaceAll(/\W/g, '');
    const known = books.refunds.get(id);
    if (known) return forge ? { ...known } : known;
    const opened = openRefund({ id, invoice, name: `Refund ${invoice.id}`, description: '', sum });
    if (!forge) books.refunds.set(id, opened);
    return opened;
  }

  return async (trigger) => {
    const { event, money } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const at = Date.now();
    const invoice = invoiceOf(trigger);
    // Cancels the pending reports of the previous scenario.
    invoice.scenario += 1;
    const step: Step | undefined = event in steps ? steps[event as keyof typeof steps] : undefined;
    if (step) {
      invoice.price = money;
      update(invoice, after(invoice, step, at));
      return sendOnDemand(hooks.ofInvoice(invoice, step), trigger);
    }
    // A refunded invoice was paid before.
    if (invoice.status === 'New') update(invoice, after(invoice, steps.InvoiceSettled, at));
    const refund = refundOf(invoice, trigger);
    const claim = claims[event];
    if (!claim) return sendOnDemand(hooks.ofRefund(refund), trigger);
    claimed(refund, claim);
    return sendOnDemand(hooks.ofClaim(refund, claim), trigger);
  };
}
