/** B's orders: the result for each card, name and amount, and the callbacks that follow. */
import { fromMinor, type DeclineCode } from '@paywright/contract';
import {
  amountRule,
  cardBehaviour,
  type AmountRule,
  type CardBehaviour,
  type Message,
} from '@paywright/contract/sandbox';
import type { About, ToMessage } from './callbacks.ts';

/** The bank sends the payer a code before it decides. */
const CODE_CARD = '4000000000003238';

/** The final outcome of a sale. */
interface Ending {
  readonly outcome: 'approved' | 'declined' | 'filtered' | 'error';
  /** Empty if B gives no reason. */
  readonly code: string;
  readonly note: string;
}

export interface Order extends About {
  /** Minor units. */
  readonly minor: string;
  readonly rule: AmountRule | undefined;
  readonly card: CardBehaviour;
  readonly ending: Ending;
  /** B does not know the outcome at first (names that begin with `DOUBT `). */
  readonly isDoubtful: boolean;
  outcome: Ending['outcome'] | 'processing' | 'unknown';
  code: string;
  note: string;
  /** The result `taken`: the right member code came. */
  step: 'none' | 'code' | 'taken';
  wrongCodes: number;
  /** Requested returns and completed returns, in minor units. */
  asked: bigint;
  returned: bigint;
  dispute: 'none' | 'open' | 'lost' | 'won';
  /** The number of the last operation; the sale is 0. */
  operations: number;
}

const refusals: Readonly<Partial<Record<DeclineCode, Ending>>> = {
  '05': { outcome: 'declined', code: '201', note: 'refused' },
  '51': { outcome: 'declined', code: '205', note: 'insufficient funds' },
  '54': { outcome: 'declined', code: '208', note: 'card expired' },
  '57': { outcome: 'declined', code: '214', note: 'not permitted' },
  '61': { outcome: 'declined', code: '221', note: 'over the limit' },
};
const approved: Ending = { outcome: 'approved', code: '', note: 'ok' };
export const wrongThreeTimes: Ending = { outcome: 'declined', code: '230', note: 'wrong member code three times' };

/** The facts that an order needs. */
export interface Opening extends Omit<About, 'txn' | 'last4'> {
  readonly minor: string;
  readonly pan: string;
  readonly holder: string;
}

/** A new order before any report. */
export function openOrder({ ref, cur, minor, hook, pan, holder }: Opening): Order {
  const card = cardBehaviour(pan);
  return {
    ref,
    txn: newTxn(),
    cur,
    minor,
    last4: pan.slice(-4),
    hook,
    rule: ruleOf(minor, cur),
    card,
    ending: endingOf(card, holder),
    isDoubtful: holder.startsWith('DOUBT '),
    outcome: 'processing',
    code: '',
    note: '',
    step: pan === CODE_CARD ? 'code' : 'none',
    wrongCodes: 0,
    asked: 0n,
    returned: 0n,
    dispute: 'none',
    operations: 0,
  };
}

/** A risk rule or an error comes before the bank. */
function endingOf({ decline }: CardBehaviour, holder: string): Ending {
  if (holder.startsWith('FILTER ')) return { outcome: 'filtered', code: '301', note: 'filtered by a risk rule' };
  if (holder.startsWith('ERROR ')) return { outcome: 'error', code: '', note: '' };
  return (decline && refusals[decline]) ?? approved;
}

export function ruleOf(minor: string, currency: string): AmountRule | undefined {
  return amountRule({ amount: fromMinor(minor, currency), currency });
}

let lastTxn = 0;

/** 20 digits with a leading zero, beyond 2^53: a reader that converts it to a number fails visibly. */
function newTxn(): string {
  lastTxn = (lastTxn + 1) % 1_000_000;
  return `0${Date.now()}${String(lastTxn).padStart(6, '0')}`;
}

/** B knows the end when it answers. One card is declined there; another is charged, but its answer never arrives. */
export function isKnownAtOnce({ card, ending }: Order): boolean {
  return card.kind === 'silent' || (card.decline === '54' && ending.outcome === 'declined');
}

export function end(order: Order, { outcome, code, note }: Ending): void {
  Object.assign(order, { outcome, code, note });
}

/** All callbacks about a sale from now on, including later events that no request triggers. */
export function scenarioFor(order: Order, toMessage: ToMessage, ending = order.ending): Message[] {
  const { card, minor } = order;
  if (card.kind === 'pending_forever') return [];
  const sale = (outcome: string, after: number, happens?: () => void): Message => {
    const { code, note } = outcome === ending.outcome ? ending : { code: '', note: '' };
    return toMessage(order, { op: 'sale', number: 0, outcome, minor, code, note }, timing(after, happens));
  };
  const first = card.kind === 'pending_approved' || card.kind === 'pending_declined' ? 3 : 1;
  const ends = (): void => end(order, ending);
  if (order.isDoubtful && order.outcome === 'processing') {
    const doubts = (): void => {
      if (order.outcome === 'processing') order.outcome = 'unknown';
    };
    const scenario = [sale('unknown', first, doubts), sale(ending.outcome, first + 1, ends)];
    return [...scenario, ...aftermath(order, toMessage, ending, first + 2)];
  }
  // The rule swaps the first two messages.
  const scenario =
    order.rule === '.56'
      ? [sale('processing', first), sale(ending.outcome, first + 1, ends)]
      : [sale(ending.outcome, first, ends)];
  return [...scenario, ...aftermath(order, toMessage, ending, first + 1)];
}

function timing(after: number, happens: (() => void) | undefined) {
  return { after, ...(happens ? { happens } : {}) };
}

function aftermath(order: Order, toMessage: ToMessage, ending: Ending, after: number): Message[] {
  if (ending.outcome !== 'approved') return [];
  const { minor } = order;
  if (order.card.kind === 'refunded_later') return [reversal(order, BigInt(minor), toMessage, after)];
  if (order.card.kind !== 'charged_back_later') return [];
  const number = (order.operations += 1);
  const dispute = (outcome: string, state: Order['dispute'], at: number): Message =>
    toMessage(
      order,
      { op: 'dispute', number, outcome, minor },
      timing(at, () => {
        order.dispute = state;
      }),
    );
  return [dispute('processing', 'open', after), dispute('approved', 'lost', after + 1)];
}

/** A return under the next number. It counts as requested immediately and as returned once it is reported. */
export function reversal(order: Order, minor: bigint, toMessage: ToMessage, after: number): Message {
  const number = (order.operations += 1);
  order.asked += minor;
  const happens = (): void => {
    order.returned += minor;
  };
  return toMessage(order, { op: 'reversal', number, outcome: 'approved', minor }, { after, happens });
}

/** The pairs of a status answer. */
export function presentStatus(order: Order): Record<string, string> {
  const { ref, txn, outcome, step, minor, cur, last4, code, note, returned, dispute } = order;
  return {
    gw_ref: ref,
    b_txn: txn,
    outcome,
    step: step === 'code' ? 'code' : 'none',
    total: fromMinor(minor, cur),
    cur,
    last4,
    code,
    note,
    returned: fromMinor(returned, cur),
    dispute,
  };
}
