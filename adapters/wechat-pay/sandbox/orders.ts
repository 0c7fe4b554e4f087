/** WeChat Pay's orders and refunds, and how answers and notifications show them. */
import { randomInt } from 'node:crypto';
import { JsonNumber, moneyFromMinor } from '@paywright/contract';
import { amountRule, newId, type AmountRule } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { timeText } from './messages.ts';
import type { AskedOrder, AskedRefund } from './requests.ts';

export interface Order {
  readonly id: string;
  readonly product: string;
  /** The body of the request. A repetition has the same bytes. */
  readonly body: string;
  readonly reference: string;
  readonly total: string;
  readonly notifyUrl: string;
  readonly expiresAt: Date;
  readonly rule: AmountRule | undefined;
  /** The code was sent completely, so the invisible payer pays. */
  isShown: boolean;
  state: 'NOTPAY' | 'SUCCESS' | 'REFUND' | 'CLOSED';
  transaction: string | null;
  paidAt: number;
  /** The sum of all refunds that are not closed, in fen. */
  refunded: bigint;
}

export interface Refund {
  readonly id: string;
  readonly asked: AskedRefund;
  readonly body: string;
  readonly createdAt: number;
  status: string;
}

export function newTransaction(): string {
  return `42000${String(randomInt(2 ** 47)).padStart(23, '0')}`;
}

export function newRefundId(): string {
  return `50300${String(randomInt(2 ** 47)).padStart(24, '0')}`;
}

export function ruleOf(fen: string): AmountRule | undefined {
  return amountRule(moneyFromMinor(fen, 'CNY'));
}

export function openOrder(product: string, asked: AskedOrder, body: string): Order {
  const { out_trade_no, amount, notify_url, time_expire } = asked;
  return {
    id: newId(''),
    product,
    body,
    reference: out_trade_no,
    total: amount.total,
    notifyUrl: notify_url,
    expiresAt: time_expire,
    rule: ruleOf(amount.total),
    isShown: false,
    state: 'NOTPAY',
    transaction: null,
    paidAt: 0,
    refunded: 0n,
  };
}

export function payOrder(order: Order): void {
  if (order.state !== 'NOTPAY') return;
  Object.assign(order, { state: 'SUCCESS', transaction: newTransaction(), paidAt: Date.now() });
}

const descriptions = { NOTPAY: '订单未支付', SUCCESS: '支付成功', REFUND: '转入退款', CLOSED: '订单已关闭' };
type Account = Pick<Options, 'appid' | 'mchid'>;
type Shown = Pick<Order, 'product' | 'reference' | 'total' | 'state' | 'transaction' | 'paidAt'>;

export function presentOrder({ appid, mchid }: Account, order: Shown) {
  const { reference, total, state, transaction, paidAt, product } = order;
  const known = { appid, mchid, out_trade_no: reference, trade_state: state, trade_state_desc: descriptions[state] };
  const amount = { total: new JsonNumber(total), currency: 'CNY' };
  if (transaction === null) return { ...known, amount };
  return {
    ...known,
    transaction_id: transaction,
    trade_type: product === 'h5' ? 'MWEB' : 'NATIVE',
    bank_type: 'OTHERS',
    attach: '',
    success_time: timeText(paidAt),
    payer: { openid: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' },
    amount: { ...amount, payer_total: new JsonNumber(total), payer_currency: 'CNY' },
  };
}

export function presentRefund({ id, asked, status, createdAt }: Refund, { transaction }: Pick<Order, 'transaction'>) {
  const { out_trade_no, out_refund_no, amount } = asked;
  const [refund, total] = [new JsonNumber(amount.refund), new JsonNumber(amount.total)];
  return {
    refund_id: id,
    out_refund_no,
    transaction_id: transaction,
    out_trade_no,
    channel: 'ORIGINAL',
    user_received_account: '支付用户零钱',
    create_time: timeText(createdAt),
    status,
    ...(status === 'SUCCESS' ? { success_time: timeText(Date.now()) } : {}),
    amount: {
      total,
      refund,
      payer_total: total,
      payer_refund: refund,
      settlement_total: total,
      settlement_refund: refund,
      discount_refund: new JsonNumber('0'),
      currency: 'CNY',
    },
  };
}

/** The content of a notification about a refund. It has no currency. */
export function presentRefundNews(
  { mchid }: Account,
  about: Pick<Order, 'transaction' | 'reference' | 'total'>,
  { id, name, amount, status }: Readonly<Record<'id' | 'name' | 'amount' | 'status', string>>,
) {
  const [refund, total] = [new JsonNumber(amount), new JsonNumber(about.total)];
  return {
    mchid,
    out_trade_no: about.reference,
    transaction_id: about.transaction,
    out_refund_no: name,
    refund_id: id,
    refund_status: status,
    ...(status === 'SUCCESS' ? { success_time: timeText(Date.now()) } : {}),
    user_received_account: '支付用户零钱',
    amount: { total, refund, payer_total: total, payer_refund: refund },
  };
}
