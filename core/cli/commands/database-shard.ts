import { pino } from 'pino';
import { withDatabase } from '../with-database.ts';
import { NoClusterError, shardCollections, toShardScript, type ShardState } from '../../database/shard.ts';
import { mayDo, yes } from '../confirm.ts';
import { defineCommand } from '../command.ts';
import { json, printProblems } from '../json.ts';
import { operatorOf } from '../operator.ts';

export const databaseShard = defineCommand({
  options: {
    print: { type: 'boolean', help: 'only print the same for mongosh, connected to the mongos and the database' },
    yes,
    json,
  },
  notes: [
    'MONGODB_URI names a mongos, and a user that may shard: clusterManager on admin beside readWrite and dbAdmin of the',
    'database. Collections that are missing are made; those that are sharded already are left. The service may go on.',
    'Exit code 1 where there is no mongos, or a collection is sharded by another key.',
  ],
  async run({ values, shell }) {
    if (values.print) {
      for (const line of toShardScript()) shell.print(line);
      return 0;
    }
    return withDatabase(shell, async ({ connection, audit }) => {
      const { databaseName } = connection.db!;
      const effect = `The collections of ${databaseName} that grow with payments are spread over all shards, for good.`;
      if (!(await mayDo(shell, effect, values))) return 1;
      const deed = { act: 'database.shard', subject: { type: 'database', id: databaseName } } as const;
      try {
        const sharded = await audit.run(operatorOf(shell), deed, async () => {
          const value = await shardCollections(connection, pino({ level: 'silent' }));
          return { value, after: Object.fromEntries(value.map(({ collection, state }) => [collection, state])) };
        });
        if (values.json) shell.print(JSON.stringify(sharded));
        else for (const { collection, key, state } of sharded) shell.print(`${collection} by ${key}: ${words[state]}`);
        return sharded.some(({ state }) => state === 'other') ? 1 : 0;
      } catch (error) {
        if (!(error instanceof NoClusterError)) throw error;
        printProblems(shell, values, [error.message]);
        return 1;
      }
    });
  },
});

const words: Readonly<Record<ShardState, string>> = {
  done: 'sharded',
  before: 'was sharded before',
  other: 'is sharded by another key: reshardCollection of MongoDB changes that',
};
