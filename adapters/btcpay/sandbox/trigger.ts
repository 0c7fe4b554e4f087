/** Webhooks on demand. What is reported is so from then on, for it will be fetched: made of the facts where it is not known. */
import { formatAmount, payPage, type CallbackReply, type SandboxSetup, type Trigger } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { after, openInvoice, openRefund, update, type Books, type Invoice, type Refund } from './books.ts';
import { claimed, type Hooks } from './hooks.ts';
import { claims, steps, type Step } from './scenarios.ts';

/** The webhook's type, and what it says where a type alone does not tell. */
export const events: readonly string[] = [...Object.keys(steps), 'InvoiceRefund', ...Object.keys(claims)];

/** What `trigger` of the sandbox does; rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  books: Books,
  hooks: Hooks,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The invoice that the facts name; a forger changes nothing of it. */
  function invoiceOf({ reference: orderId, providerReference, money: price, forge }: Trigger): Invoice {
    const known = providerReference === null ? books.byOrder(orderId)[0] : books.invoices.get(providerReference);
    if (known?.orderId === orderId) return forge ? { ...known } : known;
    const asked = { metadata: { orderId }, orderId, price, minutes: options.minutes, checkout: {} };
    const back = payPage(publicUrl, orderId) ?? publicUrl;
    const opened = openInvoice({ ...asked, back, ...(providerReference === null ? {} : { id: providerReference }) });
    if (!forge) books.invoices.set(opened.id, opened);
    return opened;
  }

  /** Named by what is given back, so that what comes after on demand is about the same refund. */
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
    if (!events.includes(event)) throw new RangeError(`no event ${event}: use one of ${events.join(', ')}`);
    const at = Date.now();
    const invoice = invoiceOf(trigger);
    // It silences what was under way.
    invoice.scenario += 1;
    const step: Step | undefined = event in steps ? steps[event as keyof typeof steps] : undefined;
    if (step) {
      invoice.price = money;
      update(invoice, after(invoice, step, at));
      return sendOnDemand(hooks.ofInvoice(invoice, step), trigger);
    }
    // What is given back was paid.
    if (invoice.status === 'New') update(invoice, after(invoice, steps.InvoiceSettled, at));
    const refund = refundOf(invoice, trigger);
    const claim = claims[event];
    if (!claim) return sendOnDemand(hooks.ofRefund(refund), trigger);
    claimed(refund, claim);
    return sendOnDemand(hooks.ofClaim(refund, claim), trigger);
  };
}
