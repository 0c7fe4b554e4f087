import { isDeepStrictEqual } from 'node:util';
import type { RawCallback } from '@gateway/contract';
import { pino } from 'pino';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withSandboxes } from '../../../workers/supervisor/run-config.ts';
import { fromBytes } from '../../callbacks/raw-bytes.ts';
import { fromDocument } from '../../documents/decimals.ts';
import { inboxModel, type InboxRow } from '../../documents/inbox-row.ts';
import { callbackPlace } from '../../documents/places.ts';
import { createProviderCalls, createRegistry, loadAdapters, type MappedEvent } from '../../providers/index.ts';
import { defineCommand, readCount, required, UsageError } from '../command.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

export const replay = defineCommand({
  options: {
    adapter: { type: 'string', value: '<package>', help: "the candidate's package; required" },
    since: { type: 'string', value: '<time>', help: 'ISO 8601; default: a day ago' },
    limit: { type: 'string', value: '<n>', help: 'at most so many callbacks; default: 10000' },
  },
  notes: ['It changes nothing. The candidate runs with the options of the adapter of the same name in config.'],
  async run({ values, shell }) {
    const packageName = required(values.adapter, 'adapter');
    const since = values.since === undefined ? new Date(Date.now() - 86_400_000) : new Date(values.since);
    if (Number.isNaN(since.getTime())) throw new UsageError('--since must be a time such as 2026-03-01T00:00:00Z.');
    return withDatabase(shell, async ({ connection, encrypter, loaded }) => {
      const { root, environment } = loaded;
      const { ports } = await readState(loaded.config.database.dataDir);
      const { adapters, server, provider, keys } = withSandboxes(loaded.config, ports.sandboxes);
      const name = Object.keys(adapters).find(
        (one) => packageName.split('/').at(-1) === one || adapters[one]?.package === packageName,
      );
      const listed = name === undefined ? undefined : adapters[name];
      if (name === undefined || !listed)
        throw new UsageError(`config lists no adapter that ${packageName} could be a version of.`);
      const { options, sandboxOptions } = listed;
      const from = process.cwd();
      const entry = { name, package: packageName, state: 'on', options, sandboxOptions, from } as const;
      const registry = createRegistry(await loadAdapters([entry], { gatewayRoot: root, environment }));
      let receivedAt = new Date();
      const log = pino({ level: 'silent' });
      const calls = createProviderCalls({
        registry,
        config: provider,
        publicUrl: server.publicUrl,
        // A candidate judges a callback by the clock of its day.
        now: () => receivedAt,
        log,
        callbackSandbox: !keys.liveKeys,
        transcript: () => undefined,
      });
      const limit = readCount(values.limit, '--limit') ?? 10_000;
      const stored = inboxModel(connection)
        .find({ adapter: name, receivedAt: { $gte: since }, pings: { $exists: false } })
        .sort({ receivedAt: 1 })
        .limit(limit);
      let seen = 0;
      let different = 0;
      let unreadable = 0;
      for await (const document of stored.lean().cursor()) {
        const row = fromDocument(document) as InboxRow;
        const raw = readRow(row);
        if (!raw) {
          unreadable += 1;
          shell.print(`${row.receivedAt.toISOString()}  ${row.path}  ${row.requestId}  cannot be decrypted`);
          continue;
        }
        receivedAt = raw.receivedAt;
        const after = await read(raw, row.path);
        const before = row.state === 'malformed' ? ['malformed'] : row.events.map(({ event }) => shown(event));
        seen += 1;
        if (isDeepStrictEqual(after, before)) continue;
        different += 1;
        shell.print(`${row.receivedAt.toISOString()}  ${row.path}  ${row.requestId}`);
        for (const line of before.filter((one) => !after.includes(one))) shell.print(`  - ${line}`);
        for (const line of after.filter((one) => !before.includes(one))) shell.print(`  + ${line}`);
      }
      calls.close();
      const skipped = unreadable ? `, ${unreadable} could not be decrypted` : '';
      shell.print(`${seen} callbacks read, ${different} differently${skipped}`);
      return 0;

      /** Undefined where it cannot be decrypted: one such row is no reason to leave out all others. */
      function readRow({ _id, encrypted }: InboxRow): RawCallback | undefined {
        try {
          return fromBytes(encrypter.decrypt(encrypted, callbackPlace(_id)));
        } catch {
          return undefined;
        }
      }

      async function read(raw: RawCallback, path: string): Promise<string[]> {
        const found = registry.route(raw.method, path);
        if (!found) return ['no such route'];
        const { verdict, ...by } = await calls.verify(found, raw);
        if (!('verified' in verdict)) return [verdict.verdict];
        const parsed = calls.parse(found, verdict.verified, by);
        return 'malformed' in parsed ? ['malformed'] : parsed.events.map(shown);
      }
    });
  },
});

/** What counts of an event, in one line. */
function shown(event: MappedEvent): string {
  const {
    kind,
    status,
    providerStatus,
    reference,
    providerReference,
    subReference = '',
    amount,
    currency,
    dedupeKey,
    decline = '',
  } = event;
  return [
    kind,
    status,
    providerStatus,
    reference,
    providerReference,
    subReference,
    amount,
    currency,
    dedupeKey,
    decline,
    event.mustFetch ? 'must fetch' : '',
  ]
    .map((part) => part ?? '–')
    .join(' | ');
}
