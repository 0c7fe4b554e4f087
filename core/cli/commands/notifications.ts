import { toEnvironment, type Owners } from '../../engine/access/index.ts';
import {
  createNotificationActions,
  createNotificationFinder,
  createNotificationSearch,
  notificationStates,
  resendCountText,
  sentRequest,
  type FoundNotification,
  type NotificationSearch,
} from '../../engine/notifications/index.ts';
import { answerText } from '../../base/text/answer-text.ts';
import { withDatabase } from '../with-database.ts';
import {
  defineCommand,
  readCount,
  readKeyEnvironment,
  readTime,
  readWord,
  UsageError,
  type Options,
  type Values,
} from '../command.ts';
import { confirmAction, yes } from '../confirm.ts';
import { operatorOf } from '../operator.ts';
import { idOfOwner } from '../owner-id.ts';
import { readPaymentId } from '../payment-id.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;

const filters = {
  owner: { type: 'string', value: '<name>', help: 'only notifications of this merchant' },
  env: {
    type: 'string',
    value: 'sandbox|production',
    help: 'only test (sandbox) or only live (production) notifications',
  },
  state: { type: 'string', value: '<word>', help: `only ${notificationStates.join(', ')}` },
  type: { type: 'string', value: '<type>', help: 'only this type, for example payment.succeeded' },
  from: { type: 'string', value: '<time>', help: 'created at this time or later (ISO 8601)' },
  to: { type: 'string', value: '<time>', help: 'created before this time' },
} as const satisfies Options;

export const notificationsList = defineCommand({
  options: {
    ...filters,
    payment: { type: 'string', value: '<id>', help: 'only notifications of this payment' },
    limit: { type: 'string', value: '<number>', help: 'maximum number (default 20)' },
    cursor: { type: 'string', value: '<text>', help: 'the next page: the cursor that the previous page printed' },
    json,
  },
  notes: ['Newest first, each with its attempts.'],
  async run({ values, shell }) {
    const { payment, cursor } = values;
    const limit = readCount(values.limit, '--limit') ?? 20;
    const paymentRequestId = payment === undefined ? undefined : readPaymentId(payment);
    const page = await withDatabase(shell, async ({ connection, owners }) =>
      createNotificationSearch(connection)({
        ...(await readFilter(values, owners)),
        ...(paymentRequestId !== undefined && { paymentRequestId }),
        ...(cursor !== undefined && { cursor }),
        limit,
      }),
    );
    if (values.json) shell.print(JSON.stringify(page));
    else {
      for (const found of page.items) for (const line of describe(found)) shell.print(line);
      if (page.items.length === 0) shell.print('No notification was found.');
      if (page.nextCursor !== null) shell.stderr(`There are more notifications: use --cursor ${page.nextCursor}.`);
    }
    return 0;
  },
});

export const notificationsShow = defineCommand({
  options: { json },
  notes: ['The request as it was sent, without signatures, and the beginning of what the receiver answered.'],
  async run({ values, operands: [id = ''], shell }) {
    const found = await withDatabase(shell, async ({ connection }) => createNotificationFinder(connection)(id));
    if (values.json) shell.print(JSON.stringify(found));
    else for (const line of [...describe(found), '', 'Request', ...requestLines(found)]) shell.print(line);
    return 0;
  },
});

export const notificationsResend = defineCommand({
  options: { ...filters, yes, json: { type: 'boolean', help: 'print { "resent" }' } },
  notes: [
    'With an id, sends one notification. Without an id, sends all that match the options: exhausted ones, unless --state',
    'names another state. Each gets a new round of attempts with the same bytes. Receivers detect a repetition by its id.',
  ],
  async run({ values, operands: [id], shell }) {
    const hasFilter = Object.keys(filters).some((name) => values[name as keyof typeof filters] !== undefined);
    if (id === undefined && !hasFilter)
      throw new UsageError('Give a notification id, or select by --owner, --env, --state, --type, --from or --to.');
    if (id !== undefined && hasFilter)
      throw new UsageError('A notification id cannot be combined with options that select notifications.');
    return withDatabase(shell, async ({ connection, audit, owners }) => {
      const acts = createNotificationActions({ connection, audit });
      const by = operatorOf(shell);
      if (id !== undefined) {
        await acts.resend(by, id);
        shell.print(values.json ? JSON.stringify({ resent: 1 }) : `${id} will be sent again`);
        return 0;
      }
      const filter = { state: 'exhausted', ...(await readFilter(values, owners)) } as const;
      const count = await acts.count(filter);
      if (
        count > 0 &&
        !(await confirmAction(shell, `This sends ${resendCountText(count)} notifications again.`, values))
      )
        return 1;
      const resent = await acts.resendAll(by, filter, (soFar) => shell.stderr(`${soFar} of ${resendCountText(count)}`));
      shell.print(values.json ? JSON.stringify({ resent }) : `${resent} notifications will be sent again`);
      return 0;
    });
  },
});

async function readFilter(
  values: Values<typeof filters>,
  owners: Owners,
): Promise<Omit<NotificationSearch, 'limit' | 'cursor' | 'paymentRequestId'>> {
  const { type } = values;
  const state = readWord(values.state, notificationStates, '--state');
  const [from, to] = [readTime(values.from, '--from'), readTime(values.to, '--to')];
  const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
  const ownerId = values.owner === undefined ? undefined : await idOfOwner(owners, values.owner);
  return {
    ...(ownerId !== undefined && { ownerId }),
    ...(environment && { environment }),
    ...(state && { state }),
    ...(type !== undefined && { type }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

function describe({
  id,
  type,
  url,
  state,
  createdAt,
  nextAttemptAt,
  attempts,
  environment,
}: FoundNotification): string[] {
  const next = nextAttemptAt === null ? '' : `, next attempt ${nextAttemptAt.toISOString()}`;
  return [
    `${createdAt.toISOString()}  ${environment}  ${state}  ${type}  ${id}  ${url}${next}`,
    ...attempts.flatMap(({ at, answer, ...result }) => [
      `  ${at.toISOString()}  ${answerText(result)}`,
      ...(answer === undefined ? [] : [`    answered: ${answer.replaceAll(/\s+/g, ' ')}`]),
    ]),
  ];
}

function requestLines(found: FoundNotification & { readonly body: string }): string[] {
  const { url, headers, body } = sentRequest(found);
  return [`  POST ${url}`, ...headers.map(([name, value]) => `  ${name}: ${value}`), '', `  ${body}`];
}
