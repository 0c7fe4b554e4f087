import { isDecimal } from '@paywright/contract';
import { moneyText } from '../../base/text/money-text.ts';
import { createPaymentActions, type PaymentActions, type PaymentDetails } from '../../engine/payments/index.ts';
import { withGateway } from '../with-gateway.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { readPaymentId } from '../payment-id.ts';
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
    reason,
    yes,
    json,
  },
  notes,
  async run({ values, operands: [given], shell }) {
    const { amount } = values;
    if (amount !== undefined && !isDecimal(amount)) throw new UsageError('--amount must be a decimal number.');
    return change(shell, values, readPaymentId(given), {
      effect: ({ id, money }) => {
        const { currency, leftToRefund } = money;
        const what = currency === null ? 'the received amount' : moneyText(amount ?? leftToRefund, currency);
        return `This refunds ${what} of payment ${id} to its payer.`;
      },
      act: async (acts, by, id) => acts.refund(by, id, { amount }, values.reason),
    });
  },
});

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

interface Change {
  /** The effect as a sentence. */
  readonly effect: (story: PaymentDetails) => string;
  readonly act: (acts: PaymentActions, by: ReturnType<typeof operatorOf>, id: number) => Promise<unknown>;
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
    await act(acts, operatorOf(shell), id);
    const { story, owner } = await readPayment(access, id);
    if (values.json) shell.print(JSON.stringify({ ...story, owner }));
    else {
      shell.print(describePayment(story, owner));
      for (const { reference, amount, currency, state } of story.refunds)
        shell.print(`  refund ${reference} of ${moneyText(amount, currency)} is ${state}`);
    }
    return 0;
  });
}
