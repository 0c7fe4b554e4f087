/** D's orders: their states, the result for each card, and the callbacks that follow. */
import type { DeclineCode } from '@paywright/contract';
import { cardBehaviour, type AmountRule, type Message } from '@paywright/contract/sandbox';

/** The members about an operation, without shop, terminal, order and currency. */
export interface Report {
  readonly D_Op: string;
  readonly D_Id: string;
  readonly D_Sum: string;
  readonly D_Code: string;
  readonly D_Auth?: string;
  readonly D_Secure?: string;
  readonly D_Text?: string;
  readonly D_Card?: string;
}

export interface Order {
  /** D's id of the payment. */
  readonly id: string;
  /** The gateway's reference. */
  readonly reference: string;
  /** Minor units. */
  readonly sum: string;
  /** Numeric code. */
  readonly cur: string;
  readonly rule: AmountRule | undefined;
  readonly notify: string;
  readonly back: string;
  readonly until: Date;
  /** The code of the order, `8000` while the page is open. */
  report: Report;
  /** The card that waits for 3D Secure on the second page. */
  challenged?: string;
  /** Requested refunds that were not refused, and completed refunds, in minor units. */
  asked: bigint;
  returned: bigint;
  dispute: 'none' | 'open' | 'lost';
}

/** Sends a report to the order's `D_Notify` after the given sandbox delays. `happens` runs at the moment of sending. */
export type Notify = (order: Order, report: Report, after: number, happens?: () => void) => Message;

const refusals: Readonly<Partial<Record<DeclineCode, readonly [code: string, text: string]>>> = {
  '05': ['0190', 'Refused by the issuer'],
  '51': ['0116', 'Insufficient funds'],
  '54': ['0101', 'The card has expired'],
  '57': ['0104', 'Not permitted for this card'],
  '61': ['0121', 'Over the limit of the card'],
};

/** The end of a page: the order's state for now, and the reports that D's servers send from now on. */
function conclude(order: Order, final: Report, notify: Notify, { delayed = false } = {}): Message[] {
  const pending = reportOn(order, { D_Code: '9997', D_Text: 'In progress' });
  const settle = (): void => {
    order.report = final;
  };
  order.report = delayed ? pending : final;
  const last = notify(order, final, order.rule === '.56' ? 2 : 1, settle);
  return order.rule === '.56' ? [notify(order, pending, 1), last] : [last];
}

function reportOn({ id, sum, report }: Order, result: Partial<Report> & { readonly D_Code: string }): Report {
  const { D_Card } = report;
  return { D_Op: '0', D_Id: id, D_Sum: sum, ...result, ...(D_Card === undefined ? {} : { D_Card }) };
}

function approval(order: Order, secure: string): Report {
  return reportOn(order, { D_Code: '0000', D_Auth: 'A1 007', D_Secure: secure, D_Text: 'Approved' });
}

function refusal(order: Order, decline: DeclineCode): Report {
  const [D_Code, D_Text] = refusals[decline]!;
  return reportOn(order, { D_Code, D_Secure: '0', D_Text });
}

export function cancel(order: Order, notify: Notify): Message[] {
  return conclude(order, reportOn(order, { D_Code: '9915', D_Text: 'Cancelled by the payer' }), notify);
}

export function expire(order: Order, notify: Notify): Message[] {
  return conclude(order, reportOn(order, { D_Code: '9970', D_Text: 'The page was not used' }), notify);
}

/** The payer typed a card on the page, and passed or failed 3D Secure if the page required it. */
export function pay(order: Order, pan: string, notify: Notify, newId: () => string, passed = true): Message[] {
  const { kind, decline = '05' } = cardBehaviour(pan);
  order.report = { ...order.report, D_Card: pan.slice(-4) };
  switch (kind) {
    case 'declined':
      return conclude(order, refusal(order, decline), notify);
    case 'pending_declined':
      return conclude(order, refusal(order, decline), notify, { delayed: true });
    case 'pending_approved':
      return conclude(order, approval(order, '0'), notify, { delayed: true });
    case 'pending_forever':
      order.report = reportOn(order, { D_Code: '9997', D_Text: 'In progress' });
      return [notify(order, order.report, 1)];
    case 'challenge': {
      const failure = reportOn(order, { D_Code: '0184', D_Secure: '3', D_Text: '3D Secure failed' });
      return conclude(order, passed ? approval(order, '1') : failure, notify);
    }
    case 'refunded_later': {
      const scenario = conclude(order, approval(order, '0'), notify);
      order.asked = BigInt(order.sum);
      const report = { D_Op: '3', D_Id: newId(), D_Sum: order.sum, D_Code: '0900' };
      return [...scenario, notify(order, report, scenario.length + 1, () => giveBack(order, order.sum))];
    }
    case 'charged_back_later': {
      const scenario = conclude(order, approval(order, '0'), notify);
      const dispute = { D_Op: '7', D_Id: newId(), D_Sum: order.sum };
      const becomes = (state: 'open' | 'lost') => () => {
        order.dispute = state;
      };
      return [
        ...scenario,
        notify(order, { ...dispute, D_Code: '0700' }, scenario.length + 1, becomes('open')),
        notify(order, { ...dispute, D_Code: '0702' }, scenario.length + 2, becomes('lost')),
      ];
    }
    case 'approved':
    case 'silent':
      return conclude(order, approval(order, '0'), notify);
  }
}

export function isOpen({ report }: Order): boolean {
  return report.D_Code === '8000';
}

/** The sum that can still be refunded, in minor units. */
export function leftOf({ report, sum, asked }: Order): bigint {
  return /^00\d\d$/.test(report.D_Code) ? BigInt(sum) - asked : 0n;
}

export function giveBack(order: Order, sum: string): void {
  order.returned += BigInt(sum);
}
