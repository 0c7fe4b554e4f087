/**
 * Finds adapters none of whose callbacks is accepted, from the counts of the last hour over all hosts. A forged
 * callback raises no alarm while genuine ones are accepted.
 */
import type { Connection } from 'mongoose';
import type { Clear, Raise } from '../alarms/index.ts';
import { lastCallbacksId, trafficModel, type TrafficMinute } from '../../database/collections/traffic.ts';
import { HOUR, MINUTE } from '../../base/async/time.ts';
import { secretsOf, type Registry } from '../providers/index.ts';
import { endSilence, noteSilence } from '../payments/index.ts';
import { refusalLine } from './count-refusal.ts';

type Counts = Readonly<Record<string, number>>;

export interface RefusedCallbacksDeps {
  readonly connection: Connection;
  readonly registry: Pick<Registry, 'all'>;
  readonly raise: Raise;
  readonly clear: Clear;
  readonly now: () => Date;
}

/** More refused callbacks than `most` within `ms`, and no accepted one, raise the alarm. */
const rules = [
  { ms: 15 * MINUTE, most: 20, text: '15 min' },
  { ms: HOUR, most: 5, text: 'an hour' },
] as const;
const accepted = ['accepted', 'duplicate', 'ignored', 'handshake'] as const;
/** What the alarm says of the latest refusals. */
const shownLacks = 3;
const maxSecretsLength = 240;

/** The number of an adapter's callbacks that were accepted, by the counts of `traffic`. */
export function acceptedOf(counts: Counts, adapter: string): number {
  return accepted.reduce((sum, outcome) => sum + (counts[`callbacks|${adapter}|${outcome}`] ?? 0), 0);
}

/** The number of refused callbacks by what they lacked. */
function refusedOf(counts: Counts, adapter: string): readonly (readonly [lack: string, count: number])[] {
  const prefix = `refused|${adapter}|`;
  return Object.entries(counts).flatMap(([name, count]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), count] as const] : [],
  );
}

/** Raises and clears the alarms `callbacks_refused`. Returns how many were raised. */
export async function watchRefusedCallbacks(deps: RefusedCallbacksDeps): Promise<number> {
  const { connection, registry, raise, clear, now } = deps;
  const at = now();
  const model = trafficModel(connection);
  const [minutes, last] = await Promise.all([
    model.find({ at: { $gt: new Date(at.getTime() - HOUR) } }).lean<TrafficMinute[]>(),
    model.findById(lastCallbacksId).lean<TrafficMinute | null>(),
  ]);
  const counted = new Set(minutes.flatMap(({ counts = {} }) => Object.keys(counts).map((name) => name.split('|')[1]!)));
  const lastAccepted = last?.acceptedAt ?? {};
  let raised = 0;
  for (const adapter of new Set([...counted, ...Object.keys(lastAccepted)])) {
    const subject = { type: 'adapter', id: adapter } as const;
    const acceptedAt = lastAccepted[adapter];
    if (acceptedAt && (await endSilence(connection, adapter, acceptedAt))) clear('callbacks_refused', subject);
    const found = counted.has(adapter) ? findRefusals(minutes, adapter, at) : undefined;
    if (!found) continue;
    await noteSilence(connection, adapter, acceptedAt ?? found.firstAt);
    const reasons = found.lacks.map(([lack, count]) => `${refusalLine(lack)} (${count} ×)`).join('; ');
    const genuine = acceptedAt ? `The last genuine one came at ${acceptedAt.toISOString()}` : 'No genuine one is known';
    const reason = `${found.refused} callbacks refused in ${found.within}, none accepted. Why: ${reasons}. ${genuine}.`;
    raise('callbacks_refused', subject, `${reason}${describeSecrets(registry, adapter)}`);
    raised += 1;
  }
  return raised;
}

/** Remembers that callbacks of the adapter are missing since its last genuine one. */
export async function noteMissingCallbacks(connection: Connection, adapter: string, now: Date): Promise<void> {
  const last = await trafficModel(connection).findById(lastCallbacksId).lean<TrafficMinute | null>();
  await noteSilence(connection, adapter, last?.acceptedAt?.[adapter] ?? now);
}

interface Refusals {
  readonly refused: number;
  readonly within: string;
  /** What the latest ones lacked, the most frequent first. */
  readonly lacks: readonly (readonly [string, number])[];
  readonly firstAt: Date;
}

function findRefusals(minutes: readonly TrafficMinute[], adapter: string, now: Date): Refusals | undefined {
  for (const { ms, most, text } of rules) {
    const recent = minutes.filter(({ at }) => at && at.getTime() > now.getTime() - ms);
    if (recent.some(({ counts = {} }) => acceptedOf(counts, adapter) > 0)) continue;
    const byMinute = recent.flatMap(({ at, counts = {} }) => {
      const lacks = refusedOf(counts, adapter);
      return lacks.length > 0 ? [{ at: at!, lacks }] : [];
    });
    const refused = byMinute.flatMap(({ lacks }) => lacks).reduce((sum, [, count]) => sum + count, 0);
    if (refused <= most) continue;
    const times = byMinute.map(({ at }) => at.getTime());
    const latest = byMinute.filter(({ at }) => at.getTime() === Math.max(...times)).flatMap(({ lacks }) => lacks);
    const sums = new Map<string, number>();
    for (const [lack, count] of latest) sums.set(lack, (sums.get(lack) ?? 0) + count);
    const lacks = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, shownLacks);
    return { refused, within: text, lacks, firstAt: new Date(Math.min(...times)) };
  }
  return undefined;
}

/** Where the secrets of the adapter are found, by the descriptions of its options. */
function describeSecrets(registry: Pick<Registry, 'all'>, adapter: string): string {
  const options = registry.all().find(({ name }) => name === adapter)?.adapter?.manifest.options;
  if (!options) return '';
  const described = secretsOf(options).flatMap(({ path, description }) =>
    description ? [`${path}: ${description}`] : [],
  );
  // The secrets of messages first: an adapter names what they verify.
  const ordered = described.toSorted((one, other) => Number(isOfMessages(other)) - Number(isOfMessages(one)));
  const text = ordered.join(' ');
  return text ? ` ${text.length > maxSecretsLength ? `${text.slice(0, maxSecretsLength)}…` : text}` : '';
}

const wordsOfMessages = ['webhook', 'callback', 'notice', 'notification', 'notify', 'ping', 'verify', 'hook'];

function isOfMessages(described: string): boolean {
  const text = described.toLowerCase();
  return wordsOfMessages.some((word) => text.includes(word));
}
