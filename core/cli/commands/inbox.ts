import {
  createDeadLetters,
  listedStates,
  type DeadLetter,
  type DeadLetters,
  type DeadLetterDetails,
} from '../../engine/callbacks/dead-letters.ts';
import { listRefused, refusalLine } from '../../engine/callbacks/index.ts';
import { orphanAdvice } from '../../engine/callbacks/orphan-advice.ts';
import { createRereading } from '../../engine/callbacks/reread.ts';
import { pino } from 'pino';
import { withDatabase, type Access } from '../with-database.ts';
import { withGateway } from '../with-gateway.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { defineCommand, readCount, readTime, readWord, required, type Shell } from '../command.ts';
import { createAlarms, type Alarms } from '../../engine/alarms/index.ts';
import { json } from '../json.ts';
import { confirmAction, yes } from '../confirm.ts';
import { operatorOf } from '../operator.ts';

const now = (): Date => new Date();

async function withLetters<T>(shell: Shell, work: (letters: DeadLetters) => Promise<T>): Promise<T> {
  return withDatabase(shell, async (access) => work(createDeadLetters({ ...access, alarms: alarmsOf(access), now })));
}

export const inboxList = defineCommand({
  options: {
    state: {
      type: 'string',
      value: '<word>',
      help: 'dead_letter, malformed, waiting, done or discarded (default: dead_letter and malformed)',
    },
    adapter: { type: 'string', value: '<name>', help: 'only callbacks of this adapter' },
    before: { type: 'string', value: '<time>', help: 'only callbacks received before this time: the next page' },
    limit: { type: 'string', value: '<number>', help: 'maximum number (default 50)' },
    json,
  },
  notes: [
    'dead_letter: could not be applied in time. malformed: genuine, but its adapter could not read it.',
    'waiting (listed only with --state): retried automatically, for example because it arrived before its payment.',
    'done and discarded (listed only with --state): processed, and given up by an operator. "inbox refused" lists forged',
    'callbacks, which are never stored.',
  ],
  async run({ values, shell }) {
    const { adapter } = values;
    const state = readWord(values.state, listedStates, '--state');
    const before = readTime(values.before, '--before');
    const limit = readCount(values.limit, '--limit') ?? 50;
    const query = { ...(state && { state }), ...(adapter !== undefined && { adapter }), ...(before && { before }) };
    const found = await withLetters(shell, async (letters) => letters.list({ ...query, limit }));
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const letter of found) shell.print(lineOf(letter));
      if (found.length === 0) shell.print(state ? 'No callback was found.' : 'No callback needs attention.');
      const last = found.at(-1);
      if (found.length === limit && last)
        shell.stderr(`There may be more callbacks: use --before ${last.receivedAt.toISOString()}`);
    }
    return 0;
  },
});

export const inboxRefused = defineCommand({
  options: { adapter: { type: 'string', value: '<name>', help: 'only callbacks of this adapter' }, json },
  notes: [
    'Refused callbacks, such as forged ones, of the last 30 days: how many, the last one, the network of the senders, why',
    'they were refused, and the payments that they name. Nothing proves what they say. They changed nothing and are not stored.',
  ],
  async run({ values, shell }) {
    const found = await withDatabase(shell, async ({ connection }) => listRefused(connection, values.adapter));
    if (values.json) shell.print(JSON.stringify(found));
    else if (found.length === 0) shell.print('No callback was refused in the last 30 days.');
    else
      for (const { adapter, reason, network, count, firstAt, lastAt, route, payments } of found) {
        const named = payments.length > 0 ? `, naming payment ${payments.join(', ')}` : '';
        shell.print(
          `${lastAt.toISOString()}  ${adapter}  ${count} × from ${network} to /callbacks/${route}${named}: ` +
            `${refusalLine(reason)}; first ${firstAt.toISOString()}`,
        );
      }
    return 0;
  },
});

export const inboxShow = defineCommand({
  options: { json },
  notes: ['Signatures, secrets, tokens and card numbers in the message are hidden.'],
  async run({ values, operands: [id = ''], shell }) {
    const letter = await withLetters(shell, async (letters) => letters.get(id));
    if (values.json) shell.print(JSON.stringify(letter));
    else for (const line of describe(letter)) shell.print(line);
    return 0;
  },
});

export const inboxRequeue = defineCommand({
  options: { reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log' }, json },
  notes: [
    'A worker applies it within 5 s. A malformed callback is read again by the current version of its adapter, and stays',
    'malformed if that version cannot read it either.',
  ],
  async run({ values, operands, shell }) {
    return withGateway(shell, async (access) => {
      const { gateway, loaded } = access;
      const { provider, server, keys } = loaded.config;
      const rereading = createRereading({
        registry: gateway.providers.registry,
        config: provider,
        publicUrl: server.publicUrl,
        callbackSandbox: !keys.liveKeys,
      });
      try {
        const letters = createDeadLetters({ ...access, rereading, alarms: alarmsOf(access), now });
        return await each(operands, shell, values, 'will be applied again', async (id) =>
          letters.requeue(operatorOf(shell), id, values.reason),
        );
      } finally {
        rereading.close();
      }
    });
  },
});

export const inboxDiscard = defineCommand({
  options: { reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log; required' }, yes, json },
  async run({ values, operands, shell }) {
    const reason = required(values.reason, 'reason');
    const what = operands.length === 1 ? `callback ${operands[0]}` : `${operands.length} callbacks`;
    const effect = `This discards ${what}: the events in it are never applied.`;
    if (!(await confirmAction(shell, effect, values))) return 1;
    return withLetters(shell, async (letters) =>
      each(operands, shell, values, 'is discarded', async (id) => letters.discard(operatorOf(shell), id, reason)),
    );
  },
});

/** A failure of one callback does not stop the others; the exit code reports it. */
async function each(
  ids: readonly string[],
  shell: Shell,
  values: { readonly json?: boolean },
  done: string,
  act: (id: string) => Promise<void>,
): Promise<number> {
  const results: { id: string; isDone: boolean; problem?: string }[] = [];
  for (const id of ids) {
    try {
      await act(id);
      results.push({ id, isDone: true });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      results.push({ id, isDone: false, problem });
    }
  }
  if (values.json) shell.print(JSON.stringify(results));
  for (const { id, isDone, problem } of values.json ? [] : results)
    if (isDone) shell.print(`${id} ${done}`);
    else shell.stderr(problem ?? '');
  return results.every(({ isDone }) => isDone) ? 0 : 1;
}

function alarmsOf({ connection, loaded }: Pick<Access, 'connection' | 'loaded'>): Alarms {
  return createAlarms({ connection, config: loaded.config.alarms, log: pino({ level: 'silent' }) });
}

function lineOf(letter: DeadLetter): string {
  const { id, receivedAt, adapter, paymentRequestIds, unknownPaymentIds, reason, changes } = letter;
  const names = paymentRequestIds.map((one) => (unknownPaymentIds.includes(one) ? `${one} (unknown)` : String(one)));
  const payments = names.length > 0 ? `  payment ${names.join(', ')}` : '';
  const what = letter.state === 'done' ? changes.join('; ') : reason;
  return `${receivedAt.toISOString()}  ${stateOf(letter)}  ${adapter}${payments}  ${id}  ${what}`;
}

function stateOf({ state, discardedAt }: DeadLetter): string {
  return state === 'done' && discardedAt ? 'discarded' : state;
}

function describe(letter: DeadLetterDetails): string[] {
  const { id, adapter, path, receivedAt, tries, expireAt, requestId, reason, events, raw } = letter;
  const advice = orphanAdvice(letter);
  return [
    `callback ${id} of ${adapter} is ${stateOf(letter)}${reason === '' ? '' : `: ${reason}`}`,
    `  received ${receivedAt.toISOString()} at /callbacks/${path}, request ${requestId}, tried ${tries} times, kept until ${expireAt.toISOString()}`,
    ...(advice.length > 0 ? ['', 'What to do', ...advice.map((line) => `  ${line}`)] : []),
    '',
    'Events',
    ...(events.length > 0 ? events.map(eventText) : ['  no event could be read']),
    '',
    'Message',
    ...(raw === null
      ? ['  cannot be decrypted: none of the encryption keys matches']
      : [
          `  ${raw.method} ${raw.path}${raw.query === '' ? '' : `?${raw.query}`}`,
          ...raw.headers.map(([name, value]) => `  ${name}: ${value}`),
          '',
          ...raw.body.split('\n').map((line) => `  ${line}`),
        ]),
  ];
}

function eventText(event: DeadLetterDetails['events'][number]): string {
  const { kind, status, providerStatus, reference, providerReference, amount, currency } = event;
  const money = amount === null ? '' : `, ${moneyText(amount, currency ?? '')}`;
  const names = [reference, providerReference].filter((one) => one !== null).join(' / ');
  const payment = event.paymentRequestId === null ? 'no payment' : `payment ${event.paymentRequestId}`;
  const note = event.note === '' ? '' : `: ${event.note}`;
  const effect = event.state === 'applied' ? `; ${event.change}` : `; ${payment}, ${event.state}${note}`;
  return `  ${kind} ${providerStatus} (${status}) of ${names}${money}${effect}`;
}
