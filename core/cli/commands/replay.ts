import { isDeepStrictEqual } from 'node:util';
import { v, type RawCallback } from '@paywright/contract';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { fromBytes } from '../../engine/callbacks/raw-bytes.ts';
import { createRereading } from '../../engine/callbacks/reread.ts';
import { fromDocument } from '../../database/decimals.ts';
import { inboxModel, type InboxRow } from '../../database/collections/inbox-row.ts';
import { callbackContext } from '../../database/encryption-context.ts';
import { createRegistry, loadAdapters, readStoredAccounts, type MappedEvent } from '../../engine/providers/index.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { DAY } from '../../base/async/time.ts';
import { findAdapterPackage, type NamedPackage } from '../adapter-package.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, readCount, readTime, required, UsageError } from '../command.ts';
import { withDatabase } from '../with-database.ts';
import { capitalise } from '../../base/text/capitalise.ts';

const progressEvery = 1000;

export const replay = defineCommand({
  options: {
    adapter: {
      type: 'string',
      value: '<package>',
      help: 'the candidate: a package, the folder of a package (./acme), or a name from the config; required',
    },
    since: {
      type: 'string',
      value: '<time>',
      help: 'only callbacks received from this time on, ISO 8601 (default: a day ago)',
    },
    limit: { type: 'string', value: '<n>', help: 'maximum number of callbacks (default 10000)' },
    json,
  },
  notes: [
    'Changes nothing. The candidate runs with the options of the adapter of the same name in the config, and with those of its accounts.',
  ],
  async run({ values, shell }) {
    const packageName = required(values.adapter, 'adapter');
    const since = readTime(values.since, '--since') ?? new Date(Date.now() - DAY);
    return withDatabase(shell, async ({ connection, encrypter, loaded }) => {
      const { root, environment, isProduction } = loaded;
      const { ports } = await readState(loaded.config.database.dataDir);
      const { adapters, server, provider, keys } = withAnySandboxes(loaded.config, ports.sandboxes);
      const { name, load } = await findCandidate(packageName, loaded);
      const { options, sandboxOptions, sandboxUrl, accounts } = adapters[name]!;
      const named = { name, package: packageName, from: root, load };
      // All accounts of the database are read as if they were on, because each has stored callbacks.
      const stored = (await readStoredAccounts(connection, encrypter, {}, { adapter: name })).get(name);
      const entry = { ...named, state: 'on', options, sandboxOptions, sandboxUrl, accounts, stored } as const;
      const registry = createRegistry(await loadAdapters([entry], { gatewayRoot: root, environment, isProduction }));
      const rereading = createRereading({
        registry,
        config: provider,
        publicUrl: server.publicUrl,
        callbackSandbox: !keys.liveKeys,
      });
      const limit = readCount(values.limit, '--limit') ?? 10_000;
      const rows = inboxModel(connection)
        .find({ adapter: name, receivedAt: { $gte: since }, pings: { $exists: false } })
        .sort({ receivedAt: 1 })
        .limit(limit);
      const differing: unknown[] = [];
      const say = (line: string): void => (values.json ? undefined : shell.print(line));
      let seen = 0;
      let different = 0;
      let unreadable = 0;
      let erased = 0;
      let looked = 0;
      for await (const document of rows.lean().cursor()) {
        const row = fromDocument(document) as InboxRow;
        looked += 1;
        if (looked % progressEvery === 0) shell.stderr(`${looked} callbacks`);
        if (row.erasedAt) {
          erased += 1;
          continue;
        }
        const raw = readRow(row);
        if (!raw) {
          unreadable += 1;
          say(`${row.receivedAt.toISOString()}  ${row.path}  ${row.requestId}  cannot be decrypted`);
          continue;
        }
        const reread = await rereading.read(raw, row.path);
        const after = 'refused' in reread ? [reread.refused] : reread.events.map(shown);
        const before = row.state === 'malformed' ? ['malformed'] : row.events.map(({ event }) => shown(event));
        seen += 1;
        if (isDeepStrictEqual(after, before)) continue;
        different += 1;
        differing.push({ id: row._id, receivedAt: row.receivedAt, path: row.path, before, after });
        say(`${row.receivedAt.toISOString()}  ${row.path}  ${row.requestId}`);
        for (const line of before.filter((one) => !after.includes(one))) say(`  - ${line}`);
        for (const line of after.filter((one) => !before.includes(one))) say(`  + ${line}`);
      }
      rereading.close();
      const skipped = [
        unreadable ? `, ${unreadable} could not be decrypted` : '',
        erased ? `, ${erased} skipped: their message was erased with the data of the payer` : '',
      ].join('');
      const words = `${seen} callbacks read, ${different} differently${skipped}`;
      printResult(shell, values, { read: seen, different, unreadable, erased, callbacks: differing }, words);
      return 0;

      /** Undefined if it cannot be decrypted: one such row must not prevent the others. */
      function readRow({ _id, encrypted }: InboxRow): RawCallback | undefined {
        try {
          return fromBytes(encrypter.decrypt(encrypted, callbackContext(_id)));
        } catch {
          return undefined;
        }
      }
    });
  },
});

const Module = v.object({ default: v.object({ manifest: v.object({ name: v.string() }) }) });

/** The candidate, and the name of the adapter in the config that it is a version of. */
async function findCandidate(
  given: string,
  loaded: LoadedConfig,
): Promise<{ readonly name: string; readonly load: NamedPackage['load'] }> {
  const { adapters } = loaded.config;
  const { listed, load } = await findAdapterPackage(given, async () => loaded);
  const last = given.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const sameName = listed ?? (Object.hasOwn(adapters, last) ? last : undefined);
  if (sameName !== undefined) return { name: sameName, load };
  // Only the package itself can say of which adapter it is a version.
  const module: unknown = await load('').catch((error: unknown) => {
    throw new UsageError(`${noSuchAdapter(given, last, adapters)} ${toSentence(error)}`);
  });
  const read = v.safeParse(Module, module);
  const own = read.success ? read.output.default.manifest.name : '';
  if (!Object.hasOwn(adapters, own)) throw new UsageError(noSuchAdapter(given, own || last, adapters));
  return { name: own, load };
}

function noSuchAdapter(given: string, name: string, adapters: LoadedConfig['config']['adapters']): string {
  const names = Object.keys(adapters);
  const cure = didYouMean(name, names) || `: the config has ${names.join(', ')}.`;
  return `The config has no adapter of which ${given} could be a version${cure}`;
}

function toSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${capitalise(message)}.`;
}

/** The relevant members of an event, in one line. */
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
