import { toEnvironment, type Owners } from '../../engine/access/index.ts';
import {
  createNotificationActions,
  createNotificationSearch,
  notificationStates,
  resendCountText,
  type FoundNotification,
  type NotificationSearch,
} from '../../engine/notifications/index.ts';
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
import { mayDo, yes } from '../confirm.ts';
import { operatorOf } from '../operator.ts';
import { idOfOwner } from '../owner-id.ts';
import { readPaymentId } from '../payment-id.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;

const filters = {
  owner: { type: 'string', value: '<name>', help: 'only those of this merchant' },
  env: { type: 'string', value: 'sandbox|production', help: 'only test ones or only live ones' },
  state: { type: 'string', value: '<word>', help: `only ${notificationStates.join(', ')}` },
  type: { type: 'string', value: '<type>', help: 'only such as payment.succeeded' },
  from: { type: 'string', value: '<time>', help: 'made at this time or later, ISO 8601' },
  to: { type: 'string', value: '<time>', help: 'made before this time' },
} as const satisfies Options;

export const notificationsList = defineCommand({
  options: {
    ...filters,
    payment: { type: 'string', value: '<id>', help: 'only those of this payment' },
    limit: { type: 'string', value: '<number>', help: 'at most so many (20)' },
    cursor: { type: 'string', value: '<text>', help: 'the next page, as the one before says' },
    json,
  },
  notes: ['The newest come first, each with its attempts.'],
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
      if (page.items.length === 0) shell.print('None is found.');
      if (page.nextCursor !== null) shell.stderr(`There are more: --cursor ${page.nextCursor} shows them.`);
    }
    return 0;
  },
});

export const notificationsResend = defineCommand({
  options: { ...filters, yes, json: { type: 'boolean', help: 'print { "resent" }' } },
  notes: [
    'One by its id, or, without an id, all that the options choose: the exhausted ones, unless --state names others.',
    'Each gets a new round of attempts, and its bytes are the same. Receivers know a repetition by its id.',
  ],
  async run({ values, operands: [id], shell }) {
    const hasFilter = Object.keys(filters).some((name) => values[name as keyof typeof filters] !== undefined);
    if (id === undefined && !hasFilter)
      throw new UsageError('Name a notification, or choose by --owner, --env, --state, --type, --from or --to.');
    if (id !== undefined && hasFilter) throw new UsageError('An id names one: leave the options that choose out.');
    return withDatabase(shell, async ({ connection, audit, owners }) => {
      const acts = createNotificationActions({ connection, audit });
      const by = operatorOf(shell);
      if (id !== undefined) {
        await acts.resend(by, id);
        shell.print(values.json ? JSON.stringify({ resent: 1 }) : `${id} is sent again`);
        return 0;
      }
      const filter = { state: 'exhausted', ...(await readFilter(values, owners)) } as const;
      const count = await acts.count(filter);
      if (count > 0 && !(await mayDo(shell, `This sends ${resendCountText(count)} notifications again.`, values)))
        return 1;
      const resent = await acts.resendAll(by, filter, (soFar) => shell.stderr(`${soFar} of ${resendCountText(count)}`));
      shell.print(values.json ? JSON.stringify({ resent }) : `${resent} notifications are sent again`);
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
    ...attempts.map(({ at, status, error, ms }) => {
      const result = status === null ? (error ?? 'no result') : `HTTP ${status}`;
      return `  ${at.toISOString()}  ${result}${ms === null ? '' : ` in ${ms} ms`}`;
    }),
  ];
}
