/** D's messages: members in D's order, signed again for each sending with the current key. */
import { formType, hash, toMinor, writeForm, type Trigger, type TriggerCauses } from '@paywright/contract';
import { wrongSecret, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { numericByCurrency } from '../order.ts';
import { writeTriple, type Triple } from '../signing.ts';
import type { Order, Report, Notify } from './orders.ts';

type About = Pick<Order, 'reference' | 'cur'>;
type More = Readonly<Record<string, string>>;

export interface Messages {
  triple(about: About, report: Report, more?: More, forged?: boolean): Triple;
  /** The address to which the payer's browser returns, with the current order. */
  backTo(order: Order): string;
  readonly notify: Notify;
  /** Sends one of `triggers` on demand to `address`. */
  onDemand(trigger: Trigger, address: string, newId: () => string): Pick<Message, 'request'>;
}

/** Operation and code of every callback on demand. */
export const triggers: readonly string[] = [
  '0:0000',
  '0:0190',
  '0:0116',
  '0:0101',
  '0:0104',
  '0:0121',
  '0:0184',
  '0:9912',
  '0:9915',
  '0:9970',
  '0:9997',
  '9:0400',
  '3:0900',
  '3:9997',
  '3:0190',
  '3:0901',
  '7:0700',
  '7:0701',
  '7:0702',
  '7:0703',
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': '0:9997',
  'payment.succeeded': '0:0000',
  'payment.failed': '0:0190',
  'payment.expired': '0:9970',
  'payment.refunded': '3:0900',
  'payment.refund_failed': '3:0190',
  'payment.refund_reversed': '3:0901',
  'payment.charged_back': '7:0700',
  'payment.chargeback_reversed': '7:0703',
};

/** The id of the dispute of a payment: `82` and 18 digits. */
function caseOf(reference: string): string {
  return `82${hash('sha256', reference).readBigUInt64BE().toString().slice(0, 18).padStart(18, '0')}`;
}

export function createMessages({ shop, terminal, keys }: Options): Messages {
  const triple: Messages['triple'] = ({ reference, cur }, report, more = {}, forged = false) => {
    const { D_Op, D_Id, D_Sum, D_Code, ...rest } = report;
    return writeTriple(forged ? wrongSecret(keys[0]!) : keys[0]!, {
      D_Shop: shop,
      D_Term: terminal,
      D_Order: reference,
      D_Op,
      D_Id,
      D_Sum,
      D_Cur: cur,
      D_Code,
      ...rest,
      ...more,
    });
  };

  const post = (about: About, report: Report, url: string, forged: boolean) => ({
    method: 'POST' as const,
    url,
    headers: { 'Content-Type': formType },
    body: writeForm({ ...triple(about, report, {}, forged) }),
  });

  return {
    triple,
    backTo({ back, report, ...about }) {
      return `${back}${back.includes('?') ? '&' : '?'}${writeForm({ ...triple(about, report) })}`;
    },
    notify: (order, report, after, happens) => ({
      name: `${report.D_Op}:${report.D_Code}`,
      after,
      request({ number, forged }) {
        if (number === 1) happens?.();
        return post(order, report, order.notify, forged);
      },
    }),
    onDemand({ event, reference, providerReference, money }, address, newId) {
      const [D_Op = '', D_Code = ''] = event.split(':');
      const cur = numericByCurrency.get(money.currency);
      if (!triggers.includes(event)) throw new Error(`unknown event ${event}: use one of ${triggers.join(', ')}`);
      if (cur === undefined)
        throw new Error(`D does not support the currency ${money.currency}: see the table of countries`);
      // A refund and a dispute have their own ids. All triggered events of one payment belong to one dispute.
      const isPayment = D_Op !== '3' && D_Op !== '7';
      const D_Id = (isPayment ? providerReference : null) ?? (D_Op === '7' ? caseOf(reference) : newId());
      const report = { D_Op, D_Id, D_Sum: toMinor(money), D_Code, ...(D_Code === '0184' ? { D_Secure: '3' } : {}) };
      return { request: ({ forged }) => post({ reference, cur }, report, address, forged) };
    },
  };
}
