import { toEnvironment } from '../../engine/access/index.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { createDisputeList, type DisputePage, type ListedDispute } from '../../engine/payments/index.ts';
import { defineCommand, readCount, readKeyEnvironment, readWord } from '../command.ts';
import { idOfOwnerLike } from '../owner-id.ts';
import { withDatabase } from '../with-database.ts';

const stages = ['open', 'won', 'lost', 'reversed', 'all'] as const;

export const disputesList = defineCommand({
  options: {
    stage: { type: 'string', value: stages.join('|'), help: 'only disputes of this stage (default: open)' },
    owner: { type: 'string', value: '<name>', help: 'only disputes of this merchant; a part of the name is enough' },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'only test (sandbox) or only live (production) payments',
    },
    limit: { type: 'string', value: '<number>', help: 'maximum number of payments per page (default 50)' },
    cursor: { type: 'string', value: '<text>', help: 'the next page: the cursor that the previous page printed' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  notes: [
    'Open disputes are sorted by the time until which they must be answered, where the provider names it. Other disputes are',
    'sorted by their payments, newest first. Answer a dispute in the console of its provider.',
  ],
  async run({ values, shell }) {
    const wanted = readWord(values.stage, stages, '--stage') ?? 'open';
    const stage = wanted === 'open' ? 'opened' : wanted === 'all' ? undefined : wanted;
    const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
    const limit = readCount(values.limit, '--limit') ?? 50;
    const page = await withDatabase(shell, async ({ connection, owners }): Promise<DisputePage> => {
      const ownerId = values.owner === undefined ? undefined : await idOfOwnerLike(owners, values.owner);
      return createDisputeList(connection)({ stage, ownerId, environment, cursor: values.cursor, limit });
    });
    if (values.json) shell.print(JSON.stringify(page));
    else {
      for (const one of page.items) shell.print(describe(one));
      if (page.items.length === 0) shell.print('No dispute was found.');
      if (page.nextCursor !== null) shell.stderr(`There are more disputes: use --cursor ${page.nextCursor}.`);
      if (!page.isComplete) shell.stderr('There are more open disputes: use --owner or --env.');
    }
    return 0;
  },
});

function describe(one: ListedDispute): string {
  const { stage, deadline, amount, currency, reason, paymentId, adapter, environment } = one;
  return [
    deadline ? `answer by ${deadline.toISOString()}` : 'no deadline known'.padEnd(34),
    stage === 'opened' ? 'open' : stage,
    one.case ?? 'case without number',
    moneyText(amount, currency),
    `payment ${paymentId}`,
    adapter,
    environment,
    ...(reason === null ? [] : [reason]),
  ].join('  ');
}
