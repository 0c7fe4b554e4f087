import { isDecimal } from '@paywright/contract';
import { toEnvironment } from '../../engine/access/index.ts';
import { createNotificationReads } from '../../engine/notifications/index.ts';
import {
  createPaymentSearch,
  createPaymentDetails,
  allStatusLabels,
  type PaymentDetails,
} from '../../engine/payments/index.ts';
import { withDatabase, type Access } from '../with-database.ts';
import { defineCommand, readCount, readKeyEnvironment, readTime, readWord, UsageError } from '../command.ts';
import { idOfOwner } from '../owner-id.ts';
import { readPaymentId } from '../payment-id.ts';
import { describeFound, describeStory } from '../payment-text.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;

export const paymentsFind = defineCommand({
  options: {
    amount: { type: 'string', value: '<decimal>', help: 'the requested amount' },
    unit: { type: 'string', value: '<currency>', help: 'the currency of the amount' },
    'last-four': { type: 'string', value: '<digits>', help: 'the last four digits of the card' },
    owner: { type: 'string', value: '<name>', help: 'only payments of this merchant' },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'only test (sandbox) or only live (production) payments',
    },
    status: { type: 'string', value: '<word>', help: 'created, pending, paid, failed, refunded or expired' },
    from: { type: 'string', value: '<time>', help: 'created at this time or later (ISO 8601)' },
    to: { type: 'string', value: '<time>', help: 'created before this time' },
    limit: { type: 'string', value: '<number>', help: 'maximum number (default 20)' },
    cursor: { type: 'string', value: '<text>', help: 'the next page: the cursor that the previous page printed' },
    json,
  },
  notes: [
    'The text is an id, our reference (GW-10042-1), a reference of the merchant or the provider, or the e-mail of the client,',
    'in full and exactly as stored. Newest first.',
  ],
  async run({ values, operands: [text], shell }) {
    const { amount, unit, 'last-four': lastFour, cursor } = values;
    if (amount !== undefined && !isDecimal(amount)) throw new UsageError('--amount must be a decimal number.');
    if (lastFour !== undefined && !/^\d{4}$/.test(lastFour)) throw new UsageError('--last-four must be four digits.');
    const status = readWord(values.status, allStatusLabels, '--status');
    const createdFrom = readTime(values.from, '--from');
    const createdBefore = readTime(values.to, '--to');
    const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
    const limit = readCount(values.limit, '--limit') ?? 20;
    const page = await withDatabase(shell, async ({ connection, owners }) => {
      const ownerId = values.owner === undefined ? undefined : await idOfOwner(owners, values.owner);
      return createPaymentSearch(connection)({
        ...(text !== undefined && { text }),
        ...(amount !== undefined && { amount }),
        ...(unit !== undefined && { unit }),
        ...(lastFour !== undefined && { lastFour }),
        ...(ownerId !== undefined && { ownerId }),
        ...(environment && { environment }),
        ...(status && { status }),
        ...(createdFrom && { createdFrom }),
        ...(createdBefore && { createdBefore }),
        ...(cursor !== undefined && { cursor }),
        limit,
      });
    });
    if (values.json) shell.print(JSON.stringify(page));
    else {
      for (const found of page.items) shell.print(describeFound(found));
      if (page.items.length === 0) shell.print('No payment was found.');
      if (page.nextCursor !== null) shell.stderr(`There are more payments: use --cursor ${page.nextCursor}.`);
    }
    return 0;
  },
});

export const paymentsShow = defineCommand({
  options: { json },
  async run({ values, operands: [given], shell }) {
    const id = readPaymentId(given);
    return withDatabase(shell, async (access) => {
      const { story, owner } = await readPayment(access, id);
      if (values.json) shell.print(JSON.stringify({ ...story, owner }));
      else for (const line of describeStory(story, owner)) shell.print(line);
      return 0;
    });
  },
});

/** Throws an Error if there is no such payment request. */
export async function readPayment(
  { connection, owners }: Pick<Access, 'connection' | 'owners'>,
  id: number,
): Promise<{ readonly story: PaymentDetails; readonly owner: string }> {
  const notifications = createNotificationReads(connection);
  const notificationsOf = async (payment: number) => notifications.forPayment(payment);
  const story = await createPaymentDetails({ connection, notificationsOf })(id);
  if (!story) throw new Error(`There is no payment request ${id}: search with "paywright payments find".`);
  return { story, owner: (await owners.get(story.ownerId))?.name ?? `owner ${story.ownerId}` };
}
