/**
 * Describes an audited action as an English sentence, such as "Ada Lovelace refunded €59.00 of payment 10042". The
 * console and the command use the same sentences. A sentence consists of parts, so that the console can link what the
 * action is about.
 */
import * as v from 'valibot';
import type { Actor, AuditSubject } from '../../database/collections/audit-entry.ts';
import { showAmount } from '../../base/text/show-amount.ts';
import { isActionName, type ActionName } from './audit-actions.ts';
import type { AuditView } from './audit-view.ts';

/** What an action is about, in words. */
export interface SubjectPart {
  readonly text: string;
  readonly subject: AuditSubject;
}

export type SentencePart = string | SubjectPart;

/** The words after the name of the actor: a verb in the past, the same verb in its basic form, and the rest. */
interface Phrase {
  readonly past: string;
  readonly basic: string;
  readonly rest: readonly SentencePart[];
}

type Recorded = Pick<AuditView, 'before' | 'after' | 'subject'>;
type Describe = (about: SubjectPart, recorded: Recorded) => Phrase;

/** The rest is what the action is about, with words before and after it. */
function verb(
  past: string,
  basic: string,
  words: (recorded: Recorded) => { readonly before?: string; readonly after?: string } = () => ({}),
): Describe {
  return (about, recorded) => {
    const { before = '', after = '' } = words(recorded);
    return { past, basic, rest: [before, about, after] };
  };
}

const phrases: Readonly<Record<ActionName, Describe>> = {
  'account.add': verb('added', 'add'),
  'account.remove': verb('removed', 'remove'),
  'account.set': verb('changed', 'change', ({ before, after }) => ({ before: `${settingsOf(before, after)} of ` })),
  'adapter.check': verb('checked', 'check', () => ({ before: 'the credentials of ' })),
  'adapter.replay': verb('tried', 'try', ({ after }) => ({
    before: `${textOf(after, 'candidate') ?? 'a new version'} on stored callbacks of `,
  })),
  'adapter.state': (about, { after }) => {
    const state = textOf(after, 'state');
    if (state === 'off') return { past: 'switched off', basic: 'switch off', rest: [about] };
    if (state === 'on') return { past: 'switched on', basic: 'switch on', rest: [about] };
    return state === 'draining'
      ? { past: 'drained', basic: 'drain', rest: [about] }
      : { past: 'changed', basic: 'change', rest: ['the state of ', about] };
  },
  'alarm.acknowledge': verb('acknowledged', 'acknowledge'),
  'alarm.resolve': verb('resolved', 'resolve'),
  'callback.discard': verb('discarded', 'discard'),
  'callback.requeue': verb('retried', 'retry'),
  'database.migrate': verb('started', 'start', ({ after }) => ({
    before: `${textOf(after, 'step') === 'finish' ? 'the end of the migration' : 'the migration'} of `,
    after: ending(' to schema version ', numberOf(after, 'to')?.toString()),
  })),
  'database.shard': verb('sharded', 'shard'),
  'deposits.rebuild': verb('checked', 'check', () => ({ before: 'the deposits of ' })),
  'endpoint.disable': verb('disabled', 'disable'),
  'endpoint.enable': verb('enabled', 'enable', ({ after }) => {
    const sentAgain = numberOf(after, 'sentAgain');
    return sentAgain === undefined ? {} : { after: `, and resent ${counted(sentAgain, 'notification')}` };
  }),
  'endpoint.test': verb('sent', 'send', () => ({ before: 'a test event to ' })),
  'job.run': verb('ran', 'run'),
  'key.create': verb('created', 'create', ({ after }) => ({
    before: `${withArticle(withMode(textOf(after, 'environment'), 'API key'))} for `,
  })),
  'key.limit': verb('changed', 'change', ({ before, after }) => ({
    before: 'the rate limit of ',
    after: fromTo(numberOf(before, 'limit'), numberOf(after, 'limit'), ' requests per minute'),
  })),
  'key.revoke': verb('revoked', 'revoke'),
  'key.rotate': verb('rotated', 'rotate'),
  'notification.resend': verb('resent', 'resend'),
  'notifications.resend': (about, { after }) => {
    const resent = numberOf(after, 'resent');
    const text =
      resent === undefined ? about.text : about.text.replace('notifications', counted(resent, 'notification'));
    return { past: 'resent', basic: 'resend', rest: [{ ...about, text }] };
  },
  'operator.create': verb('created', 'create', ({ after }) => ({
    before: 'a key for ',
    after: ending(' with the role ', textOf(after, 'role')),
  })),
  'operator.revoke': verb('revoked', 'revoke', () => ({ before: 'the key of ' })),
  'owner.create': verb('created', 'create'),
  'owner.remove': verb('removed', 'remove'),
  'owner.set': verb('changed', 'change', ({ before, after }) => ({ before: `${settingsOf(before, after)} of ` })),
  'payer.erase': verb('erased', 'erase', () => ({ before: 'the personal data of ' })),
  'payment.cancel': verb('cancelled', 'cancel'),
  'payment.reconcile': verb('requested', 'request', () => ({ before: 'a status check of ' })),
  'payment.refund': verb('refunded', 'refund', ({ before, after }) => {
    const amount = refundedAmount(before, after);
    return amount === undefined ? {} : { before: `${amount} of ` };
  }),
  'payment.review': verb('reviewed', 'review'),
  'payment.note': verb('added', 'add', () => ({ before: 'a note to ' })),
  'payment.settle_refund': verb('recorded', 'record', () => ({ before: 'the result of a refund of ' })),
  'payments.reconcile': verb('requested', 'request', () => ({ before: 'a status check of all recent payments of ' })),
  'portal.create': verb('created', 'create', ({ after }) => ({
    before: `${withArticle(withMode(textOf(after, 'environment'), 'portal link'))} for `,
    after: memberOf(after, 'allowsRotation') === true ? ', with changes allowed' : '',
  })),
  'portal.revoke': verb('revoked', 'revoke'),
  'secret.rotate': verb('rotated', 'rotate', ({ after }) => ({
    before: `the ${withMode(textOf(after, 'environment'), 'webhook secret')} of `,
  })),
  'secret.show': verb('looked at', 'look at', ({ after }) => ({
    before: `the ${withMode(textOf(after, 'environment'), 'webhook secret')} of `,
  })),
  'secrets.reencrypt': verb('encrypted', 'encrypt', () => ({ before: 'all stored secrets with ' })),
  'settlement.compare': (about, { after }) => {
    const [file, adapter] = [textOf(after, 'file'), textOf(after, 'adapter')];
    const named = file === undefined ? about : { ...about, text: file };
    return { past: 'compared', basic: 'compare', rest: [named, ending(' of ', adapter), differencesIn(after)] };
  },
};

/** The parts of the sentence, without a full stop. */
export function auditSentence(view: AuditView): readonly SentencePart[] {
  const about: SubjectPart = { text: subjectText(view.subject), subject: view.subject };
  const who = actorName(view);
  const { past, basic, rest } = isActionName(view.act)
    ? phrases[view.act](about, view)
    : { past: view.act, basic: view.act, rest: [about] };
  if (view.state === 'done') return withoutEmpty([`${who} ${past} `, ...rest]);
  return withoutEmpty(
    view.state === 'failed'
      ? [`${who} tried to ${basic} `, ...rest, ending(': ', view.error ?? undefined)]
      : [`${who} started to ${basic} `, ...rest, '; the result is not recorded'],
  );
}

function withoutEmpty(parts: readonly SentencePart[]): readonly SentencePart[] {
  return parts.filter((part) => part !== '');
}

/** The sentence as plain text. */
export function auditText(view: AuditView): string {
  return auditSentence(view)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');
}

/** The name of the person, without the id of the key. A merchant is known by its portal link only. */
export function actorName({ actor: { type, name } }: { readonly actor: Pick<Actor, 'type' | 'name'> }): string {
  if (type === 'portal') return `A visitor of the portal (${name})`;
  if (type === 'service') return 'Paywright';
  return name.replace(/ \((?:op_[\da-f]{16}|single sign-on)\)$/, '');
}

const subjectWords: Readonly<Record<string, string>> = {
  adapter: 'provider',
  owner: 'merchant',
  'encryption key': 'encryption key',
};

/** What an action is about, in the words of the pages: `merchant Book shop`. */
export function subjectText({ type, id }: AuditSubject): string {
  const [, owner, environment, origin] = /^(.*):(test|live):(.*)$/s.exec(type === 'endpoint' ? id : '') ?? [];
  if (origin !== undefined) return `${origin} of ${owner} (${environment})`;
  if (type === 'notifications')
    return id === 'all owners'
      ? 'notifications of all merchants'
      : `notifications of ${id.replace(/^owner /, 'merchant ')}`;
  if (type === 'clients') return id === 'all' ? 'all clients' : `all ${id} clients`;
  return `${subjectWords[type] ?? type} ${id}`;
}

const subjectAliases: Readonly<Record<string, string>> = { merchant: 'owner', provider: 'adapter' };

/**
 * Reads a subject as the sentences write it (`merchant Book shop`), as it is stored (`owner:Book shop`), or the id of a
 * payment alone. Undefined if the text is none of them.
 */
export function readSubject(text: string): AuditSubject | undefined {
  if (/^\d{1,15}$/.test(text)) return { type: 'payment', id: text };
  const [, type, id] = /^(encryption key|portal link|[a-z_]+)[ :]\s*(.+)$/s.exec(text) ?? [];
  return type === undefined || id === undefined ? undefined : { type: subjectAliases[type] ?? type, id };
}

const settingWords: Readonly<Record<string, string>> = {
  notifyUrl: 'live endpoint',
  testNotifyUrl: 'test endpoint',
  email: 'email',
  reportingCurrency: 'currency',
  notificationTypes: 'notification types',
  displayName: 'name shown to payers',
  logo: 'logo',
  colour: 'colour',
  support: 'help address',
  terms: 'terms',
  sandboxOptions: 'test options',
  ownAccountsOnly: 'own accounts only',
};

function settingsOf(before: unknown, after: unknown): string {
  const names = Object.keys({ ...objectOf(before), ...objectOf(after) }).map((name) => settingWords[name] ?? name);
  if (names.length === 0) return 'the settings';
  return `the ${names.slice(0, -1).join(', the ')}${names.length > 1 ? ' and the ' : ''}${names.at(-1)}`;
}

const Money = v.object({
  currency: v.nullish(v.string()),
  refunds: v.array(v.object({ reference: v.string(), amount: v.string() })),
});

/** The sum is not needed: one action creates one refund per charge, and names each. */
function refundedAmount(before: unknown, after: unknown): string | undefined {
  const [had, has] = [v.safeParse(Money, before), v.safeParse(Money, after)];
  if (!had.success || !has.success) return undefined;
  const known = new Set(had.output.refunds.map(({ reference }) => reference));
  const { currency, refunds } = has.output;
  const made = refunds.filter(({ reference }) => !known.has(reference));
  if (made.length === 0) return undefined;
  return made.map(({ amount }) => showAmount('en', amount, currency ?? '').trim()).join(' and ');
}

function differencesIn(after: unknown): string {
  const counts = memberOf(after, 'counts');
  if (typeof counts !== 'object' || counts === null) return '';
  const sum = Object.values(counts).reduce((total: number, count) => total + Number(count), 0);
  return sum === 0 ? ': no differences' : `: ${counted(sum, 'difference')}`;
}

/** The environment of a key is written `sandbox` or `production`, the mode of everything else `test` or `live`. */
function withMode(environment: string | undefined, noun: string): string {
  if (environment === undefined) return noun;
  return `${environment === 'live' || environment === 'production' ? 'live' : 'test'} ${noun}`;
}

function withArticle(noun: string): string {
  return `${noun.startsWith('API') ? 'an' : 'a'} ${noun}`;
}

function fromTo(from: number | undefined, to: number | undefined, unit: string): string {
  if (to === undefined) return '';
  return from === undefined ? ` to ${to}${unit}` : ` from ${from} to ${to}${unit}`;
}

function ending(before: string, text: string | undefined): string {
  return text === undefined ? '' : `${before}${text}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function memberOf(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

function numberOf(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return typeof member === 'number' ? member : undefined;
}
