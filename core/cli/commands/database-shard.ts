import { pino } from 'pino';
import { withDatabase } from '../with-database.ts';
import { NoClusterError, shardCollections, toShardScript, type ShardState } from '../../database/shard.ts';
import { confirmAction, yes } from '../confirm.ts';
import { defineCommand } from '../command.ts';
import { json, printProblems } from '../json.ts';
import { operatorOf } from '../operator.ts';

export const databaseShard = defineCommand({
  options: {
    print: { type: 'boolean', help: 'only print the commands for mongosh, to run on the database through the mongos' },
    yes,
    json,
  },
  notes: [
    'MONGODB_URI must name a mongos and a user that may shard: clusterManager on admin, and readWrite and dbAdmin on the',
    'database. Creates missing collections and leaves sharded collections unchanged. The service can keep running.',
    'Exits with 1 if there is no mongos or a collection is sharded by another key.',
  ],
  async run({ values, shell }) {
    if (values.print) {
      for (const line of toShardScript()) shell.print(line);
      return 0;
    }
    return withDatabase(shell, async ({ connection, audit }) => {
      const { databaseName } = connection.db!;
      const effect = `This distributes the collections of ${databaseName} that grow with payments over all shards. It cannot be undone.`;
      if (!(await confirmAction(shell, effect, values))) return 1;
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
  before: 'was already sharded',
  other: 'is sharded by another key: use reshardCollection of MongoDB to change it',
};
