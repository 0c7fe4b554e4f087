import { isAboveZero, isDecimal } from '@paywright/contract';
import { moneyText } from '../../base/text/money-text.ts';
import {
  createPaymentActions,
  refundText,
  settlingText,
  type ChargeDetails,
  type PaymentActions,
  type PaymentDetails,
} from '../../engine/payments/index.ts';
import { withGateway } from '../with-gateway.ts';
import { defineCommand, readCount, UsageError, type Shell } from '../command.ts';
import { paymentIdOfRefund, readPaymentId } from '../payment-id.ts';
import { confirmAction, yes } from '../confirm.ts';
import { operatorOf } from '../operator.ts';
import { describePayment } from '../payment-text.ts';
import { readPayment } from './payments.ts';

const json = { type: 'boolean', help: 'print JSON, like payments show' } as const;
const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;
const notes = ['The command calls the provider itself, as the API does, and prints the result.'];

export const paymentsRefund = defineCommand({
  options: {
    amount: { type: 'string', value: '<decimal>', help: 'the amount to refund (default: all that is left)' },
    charge: {
      type: 'string',
      value: '<number>',
      help: 'the charge to refund, from 1 (required if the payment was charged twice)',
    },
    settle: {
      type: 'string',
      value: '<refund>',
      help: 'record the result of this refund, which the merchant had to send (GW-10042-1-R1)',
    },
    reason,
    yes,
    json,
  },
  notes: [
    ...notes,
    'A refund is from one charge: the amount is at most what is left of it.',
    'With --settle, give the result in place of the payment id: succeeded (the merchant has sent the money) or failed',
    '(the money stays with the merchant). Only for a refund that needs the merchant. No provider is called.',
  ],
  async run({ values, operands: [given], shell }) {
    const { amount, settle } = values;
    if (settle !== undefined) return settleRefund(shell, { ...values, settle }, given);
    const number = readCount(values.charge, '--charge');
    if (amount !== undefined && !isDecimal(amount)) throw new UsageError('--amount must be a decimal number.');
    return change(shell, values, readPaymentId(given), {
      effect: ({ id, money }) => {
        const charge = chargeToRefund(money, number);
        const [left, currency] = charge ? [charge.left, charge.currency] : [money.leftToRefund, money.currency];
        const what = currency === null ? 'the received amount' : moneyText(amount ?? left, currency);
        const which = money.charges.length > 1 && charge ? `, from charge ${chargeText(charge)}` : '';
        return `This refunds ${what} of payment ${id} to its payer${which}.`;
      },
      act: async (acts, by, id, { money }) =>
        acts.refund(by, id, { amount, attempt: chargeToRefund(money, number)?.n }, values.reason),
    });
  },
});

const results = ['succeeded', 'failed'] as const;

async function settleRefund(
  shell: Shell,
  values: {
    readonly settle: string;
    readonly amount?: string;
    readonly charge?: string;
    readonly reason?: string;
    readonly yes?: boolean;
    readonly json?: boolean;
  },
  given: string | undefined,
): Promise<number> {
  const { settle: refund, amount, charge, reason: why } = values;
  if (amount !== undefined || charge !== undefined)
    throw new UsageError('--settle goes without --amount and --charge.');
  const status = results.find((one) => one === given);
  if (!status) throw new UsageError('With --settle, give the result: succeeded or failed.');
  return change(shell, values, paymentIdOfRefund(refund), {
    effect: (story) => settlingText(story, { refund, status }),
    act: async (acts, by, id) => acts.settleRefund(by, id, { refund, status }, why),
  });
}

export const paymentsCancel = defineCommand({
  options: { reason, yes, json },
  notes,
  async run({ values, operands: [given], shell }) {
    return change(shell, values, readPaymentId(given), {
      effect: ({ id, attempts }) =>
        attempts.at(-1)?.isAuthorised
          ? `This releases the money that is reserved for payment ${id}: it can no longer be captured.`
          : `This cancels payment ${id}: it can no longer be paid.`,
      act: async (acts, by, id) => acts.cancel(by, id, values.reason),
    });
  },
});

/**
 * The charge that is refunded; undefined: nothing was charged. Throws if the payment was charged twice and no charge is
 * chosen, so that the command never refunds both.
 */
function chargeToRefund(
  { charges, doubleCharges }: PaymentDetails['money'],
  number?: number,
): ChargeDetails | undefined {
  if (number !== undefined) {
    const chosen = charges.find(({ charge }) => charge === number);
    if (!chosen) throw new UsageError(`The payment has no charge ${number}. ${choicesText(charges)}`);
    return chosen;
  }
  if (doubleCharges.length > 1)
    throw new UsageError(
      `The payment was charged twice: choose one charge with --charge. ${choicesText(doubleCharges)}`,
    );
  return charges.find(({ left }) => isAboveZero(left)) ?? charges[0];
}

function choicesText(charges: readonly ChargeDetails[]): string {
  if (charges.length === 0) return 'Nothing was charged.';
  return `Charges: ${charges.map(chargeText).join('; ')}.`;
}

function chargeText({ charge, reference, adapter, left, currency }: ChargeDetails): string {
  return `${charge} (${reference} at ${adapter}, ${moneyText(left, currency)} left)`;
}

interface Change {
  /** The effect as a sentence. */
  readonly effect: (story: PaymentDetails) => string;
  readonly act: (
    acts: PaymentActions,
    by: ReturnType<typeof operatorOf>,
    id: number,
    story: PaymentDetails,
  ) => Promise<unknown>;
}

async function change(
  shell: Shell,
  values: { readonly yes?: boolean; readonly json?: boolean },
  id: number,
  { effect, act }: Change,
): Promise<number> {
  return withGateway(shell, async (access) => {
    const { gateway, connection, audit } = access;
    const before = await readPayment(access, id);
    shell.stderr(describePayment(before.story, before.owner));
    if (!(await confirmAction(shell, effect(before.story), values))) return 1;
    const acts = createPaymentActions({ connection, audit, service: gateway.payments.service });
    await act(acts, operatorOf(shell), id, before.story);
    const { story, owner } = await readPayment(access, id);
    if (values.json) shell.print(JSON.stringify({ ...story, owner }));
    else {
      shell.print(describePayment(story, owner));
      for (const refund of story.refunds) shell.print(`  ${refundText(refund)}`);
    }
    return 0;
  });
}
