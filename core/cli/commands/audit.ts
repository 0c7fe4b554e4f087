import {
  auditedActions,
  auditText,
  isActionName,
  readSubject,
  type AuditView,
  type Head,
} from '../../engine/audit/index.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand, readCount, readTime, UsageError } from '../command.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;
const subjectForm = '<subject>';

export const auditList = defineCommand({
  options: {
    act: { type: 'string', value: '<name>', help: 'only this action, for example payment.refund' },
    subject: {
      type: 'string',
      value: subjectForm,
      help: 'only entries about this subject, for example "payment 1764000000123" or "merchant Book shop"',
    },
    by: { type: 'string', value: '<name>', help: 'only entries of this user or operator' },
    since: { type: 'string', value: '<time>', help: 'only entries from this time on (ISO 8601)' },
    until: { type: 'string', value: '<time>', help: 'only entries before this time (ISO 8601)' },
    before: { type: 'string', value: '<number>', help: 'only entries before this number: the next page' },
    limit: { type: 'string', value: '<number>', help: 'maximum number (default 50)' },
    json,
  },
  notes: ['The actions:', ...Object.entries(auditedActions).map(([name, meaning]) => `  ${name.padEnd(22)}${meaning}`)],
  async run({ values, shell }) {
    const { act, by } = values;
    if (act !== undefined && !isActionName(act)) {
      const known = Object.keys(auditedActions);
      throw new UsageError(`--act must be one of ${known.join(', ')}${didYouMean(act, known) || '.'}`);
    }
    const subject = values.subject === undefined ? undefined : subjectOf(values.subject);
    const [since, until] = [readTime(values.since, '--since'), readTime(values.until, '--until')];
    const before = readCount(values.before, '--before');
    const query = {
      ...(act !== undefined && { act }),
      ...(by !== undefined && { by }),
      ...(subject && { subject }),
      ...(since && { since }),
      ...(until && { until }),
      ...(before !== undefined && { before }),
      limit: readCount(values.limit, '--limit') ?? 50,
    };
    const page = await withDatabase(shell, async ({ audit }) => audit.list(query));
    if (values.json) shell.print(JSON.stringify(page));
    else {
      for (const item of page.items) shell.print(lineOf(item));
      if (page.items.length === 0) shell.print('No actions found.');
      if (page.nextBefore !== null) shell.stderr(`There may be more entries: use --before ${page.nextBefore}.`);
    }
    return 0;
  },
});

export const auditVerify = defineCommand({
  options: {
    noted: {
      type: 'string',
      value: '<number:hash>',
      help: 'the number and hash that an earlier verify printed; the entry must still match',
    },
    json,
  },
  notes: [
    'Exits with 1 and prints the first broken entry if an entry was changed, added or removed. Keep the printed number and hash',
    'in another place: --noted then proves that the database was not replaced by an older state.',
  ],
  async run({ values, shell }) {
    const noted = values.noted === undefined ? undefined : readHead(values.noted);
    const onProgress = (entries: number): void => shell.stderr(`${entries} entries are unchanged`);
    const verified = await withDatabase(shell, async ({ audit }) =>
      audit.verify({ ...(noted && { noted }), onProgress }),
    );
    const { entries, head, broken } = verified;
    if (values.json) shell.print(JSON.stringify(verified));
    else {
      if (broken) shell.print(`Entry ${broken.sequence} is broken: ${broken.why}.`);
      const isWhole = broken ? '' : ' and complete';
      shell.print(`${entries} ${entries === 1 ? 'entry is' : 'entries are'} unchanged${isWhole}`);
      if (head) shell.print(`Last entry: ${head.sequence}:${head.hash}`);
    }
    return broken ? 1 : 0;
  },
});

function subjectOf(text: string) {
  const subject = readSubject(text);
  if (!subject) throw new UsageError(`--subject must be a type and an ID, for example "payment 1764000000123".`);
  return subject;
}

function readHead(text: string): Head {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === undefined) throw new UsageError('--noted must be <number>:<hash>, as an earlier verify printed it.');
  return { sequence: Number(sequence), hash };
}

function lineOf(view: AuditView): string {
  const { sequence, at, actor, reason } = view;
  const why = reason === null ? [] : [`reason: ${reason}`];
  return [`${sequence}`, at.toISOString(), auditText(view), `(from ${actor.from})`, ...why].join('  ');
}
