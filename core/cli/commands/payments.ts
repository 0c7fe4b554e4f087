import type { PaymentMethod } from '@paywright/contract';
import { declineCodes } from '@paywright/contract/core';
import { toEnvironment } from '../../engine/access/index.ts';
import { createNotificationReads } from '../../engine/notifications/index.ts';
import {
  allStatusLabels,
  createPaymentDetails,
  createPaymentSearch,
  exportHead,
  exportLine,
  methodTexts,
  readMoney,
  wantedProblems,
  type PaymentDetails,
  type PaymentSearch,
  type SearchPayments,
} from '../../engine/payments/index.ts';
import { withDatabase, type Access } from '../with-database.ts';
import {
  defineCommand,
  readCount,
  readKeyEnvironment,
  readTime,
  readWord,
  UsageError,
  type Shell,
} from '../command.ts';
import { idOfOwnerLike } from '../owner-id.ts';
import { readPaymentId } from '../payment-id.ts';
import { describeFound, describeFoundTable, describeStory } from '../payment-text.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;

export const paymentsFind = defineCommand({
  options: {
    amount: { type: 'string', value: '<amount>', help: 'the requested amount: 25.90, 25,90 or "25.90 EUR"' },
    unit: { type: 'string', value: '<currency>', help: 'the currency of the amount' },
    'last-four': { type: 'string', value: '<digits>', help: 'the last four digits of the card' },
    owner: { type: 'string', value: '<name>', help: 'only payments of this merchant; a part of the name is enough' },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'only test (sandbox) or only live (production) payments',
    },
    status: { type: 'string', value: '<word>', help: allStatusLabels.join(', ') },
    adapter: { type: 'string', value: '<name>', help: 'only payments with an attempt at this adapter' },
    method: { type: 'string', value: '<method>', help: Object.keys(methodTexts).join(', ') },
    decline: { type: 'string', value: '<code>', help: `declined with this code: ${declineCodes.join(', ')}` },
    problem: { type: 'string', value: '<problem>', help: wantedProblems.join(', ') },
    from: { type: 'string', value: '<time>', help: 'created at this time or later (ISO 8601)' },
    to: { type: 'string', value: '<time>', help: 'created before this time' },
    limit: { type: 'string', value: '<number>', help: 'maximum number (default 20; with --csv all)' },
    cursor: { type: 'string', value: '<text>', help: 'the next page: the cursor that the previous page printed' },
    csv: { type: 'boolean', help: 'print CSV: all found payments, with fees, refunds and net' },
    json,
  },
  notes: [
    'The text is anything that you know: an id, a reference of ours (GW-10042-1), of the merchant or of the provider, a part',
    'of the name of the payer, the beginning of an e-mail address, a phone number, an amount, the last four digits, or a status,',
    'method, adapter, problem or decline in words. Of several such things ("rossi 210"), a payment has all. Newest first.',
    'The problem "refund" is a refund that failed, is pending for over an hour, has no answer for a minute, or needs the merchant.',
  ],
  async run({ values, operands: [text], shell }) {
    if (values.csv && values.json) throw new UsageError('Use either --csv or --json.');
    const search = readSearch(values, text);
    const limit = readCount(values.limit, '--limit') ?? (values.csv ? undefined : 20);
    return withDatabase(shell, async ({ connection, owners }) => {
      const ownerId = values.owner === undefined ? undefined : await idOfOwnerLike(owners, values.owner);
      const find = createPaymentSearch(connection);
      const wanted = { ...search, ...(ownerId !== undefined && { ownerId }) };
      if (values.csv) await printCsv(shell, find, wanted, limit, owners);
      else await printPage(shell, await find({ ...wanted, limit: limit ?? 20 }), values);
      return 0;
    });
  },
});

interface FindValues {
  readonly amount?: string;
  readonly unit?: string;
  readonly 'last-four'?: string;
  readonly env?: string;
  readonly status?: string;
  readonly adapter?: string;
  readonly method?: string;
  readonly decline?: string;
  readonly problem?: string;
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

function readSearch(values: FindValues, text: string | undefined): Omit<PaymentSearch, 'limit'> {
  const { amount, unit, 'last-four': lastFour, adapter, cursor } = values;
  if (amount !== undefined && !readMoney(amount))
    throw new UsageError('--amount must be an amount, for example 25.90.');
  if (lastFour !== undefined && !/^\d{4}$/.test(lastFour)) throw new UsageError('--last-four must be four digits.');
  const status = readWord(values.status, allStatusLabels, '--status');
  const method = readWord(values.method, Object.keys(methodTexts) as PaymentMethod[], '--method');
  const decline = readWord(values.decline, declineCodes, '--decline');
  const problem = readWord(values.problem, wantedProblems, '--problem');
  const createdFrom = readTime(values.from, '--from');
  const createdBefore = readTime(values.to, '--to');
  const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
  return {
    ...(text !== undefined && { text }),
    ...(amount !== undefined && { amount }),
    ...(unit !== undefined && { unit }),
    ...(lastFour !== undefined && { lastFour }),
    ...(environment && { environment }),
    ...(status && { status }),
    ...(adapter !== undefined && { adapter }),
    ...(method && { method }),
    ...(decline && { decline }),
    ...(problem && { problem }),
    ...(createdFrom && { createdFrom }),
    ...(createdBefore && { createdBefore }),
    ...(cursor !== undefined && { cursor }),
  };
}

async function printPage(
  shell: Shell,
  page: Awaited<ReturnType<SearchPayments>>,
  values: { readonly json?: boolean; readonly env?: string },
): Promise<void> {
  if (values.json) return shell.print(JSON.stringify(page));
  const isMixed = values.env === undefined;
  const lines = shell.columns === undefined ? page.items.map(describeFound) : describeFoundTable(page.items, isMixed);
  if (page.items.length === 0) shell.print('No payment was found.');
  else for (const line of lines) shell.print(line);
  if (page.nextCursor === null) return;
  const next = `Next page: --cursor ${page.nextCursor}`;
  // Programs that read the output get only payments there.
  if (shell.columns === undefined) shell.stderr(next);
  else shell.print(next);
}

const rowsOfPage = 500;

/** Reads and prints page by page, so that any number of payments needs little memory. */
async function printCsv(
  { printText }: Shell,
  find: SearchPayments,
  search: Omit<PaymentSearch, 'limit'>,
  limit: number | undefined,
  owners: Pick<Access['owners'], 'get'>,
): Promise<void> {
  const options = { withPayers: true };
  let left = limit ?? Infinity;
  let { cursor } = search;
  const printLine = (line: string): void => printText(line.replace(/\r\n$/, ''));
  printLine(exportHead(options));
  do {
    const page = await find({ ...search, ...(cursor !== undefined && { cursor }), limit: Math.min(left, rowsOfPage) });
    for (const one of page.items) {
      const merchant = (await owners.get(one.ownerId))?.name ?? `merchant ${one.ownerId}`;
      printLine(exportLine(one, merchant, options));
    }
    left -= page.items.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && left > 0);
}

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
