/** What operators do in the console: each asks who it is, what is dangerous asks twice, and all of it is in the audit. */
import { isDecimal } from '@gateway/contract';
import { toEnvironment, type BrandChanges } from '../../access/index.ts';
import type { Actor } from '../../audit/index.ts';
import type { AdapterStateWord } from '../../documents/adapter-state.ts';
import { invalidField, notFound } from '../../errors.ts';
import { moneyText } from '../../payments/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { brandTexts, environments, merchantName } from './merchants.ts';

/** What was typed beside the button, by name. */
export type Typed = Readonly<Record<string, string>>;

export interface ConsoleAct {
  /** `:id` names what it is about. */
  readonly path: string;
  readonly role: 'support' | 'admin';
  /** The sentence that is to be agreed to first; absent: it harms nothing. */
  readonly effect?: (deps: ConsoleDeps, id: string, typed: Typed) => Promise<string>;
  /** The field of its form that a file may be chosen for; absent: there is none. */
  readonly upload?: string;
  /** Rejects with a `GatewayError` that says why not. Gives what is shown once, on a page of its own. */
  readonly run: (
    deps: ConsoleDeps,
    by: Actor,
    id: string,
    typed: Typed,
    file?: Uint8Array,
  ) => Promise<ShownOnce | undefined | void>;
  /** Where one is afterwards. */
  readonly back: (deps: ConsoleDeps, id: string) => string | Promise<string>;
}

/** A secret that cannot be had again. */
export interface ShownOnce {
  readonly title: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
}

const toPayment = (_: ConsoleDeps, id: string): string => `/ops/payments/${id}`;

export const consoleActs: readonly ConsoleAct[] = [
  {
    path: '/ops/payments/:id/reconcile',
    role: 'support',
    run: async ({ payments }, by, id) => payments.reconcile(by, paymentIdOf(id)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/refund',
    role: 'admin',
    effect: async ({ story }, id, typed) => {
      const money = (await story(paymentIdOf(id)))?.money;
      const amount = amountOf(typed) ?? money?.leftToRefund;
      const what = money?.currency && amount ? moneyText(amount, money.currency) : 'what came in';
      return `This gives ${what} of payment ${id} back to its payer.`;
    },
    run: async ({ payments }, by, id, typed) => {
      await payments.refund(by, paymentIdOf(id), amountOf(typed), reasonOf(typed));
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/cancel',
    role: 'admin',
    effect: async ({ story }, id) =>
      (await story(paymentIdOf(id)))?.attempts.at(-1)?.isAuthorised
        ? `This releases the money that is reserved for payment ${id}: nobody can collect it any more.`
        : `This cancels payment ${id}: nobody can pay it any more.`,
    run: async ({ payments }, by, id, typed) => {
      await payments.cancel(by, paymentIdOf(id), reasonOf(typed));
    },
    back: toPayment,
  },
  {
    path: '/ops/callbacks/:id/requeue',
    role: 'support',
    run: async ({ letters }, by, id, typed) => letters.requeue(by, id, reasonOf(typed)),
    back: (_, id) => `/ops/callbacks/${encodeURIComponent(id)}`,
  },
  {
    path: '/ops/callbacks/:id/discard',
    role: 'admin',
    effect: async (_, id) => `This gives up callback ${id}: what the provider reported there is never applied.`,
    run: async ({ letters }, by, id, typed) => {
      const reason = reasonOf(typed);
      if (reason === undefined) throw invalidField('reason', '', 'says why, for the audit');
      await letters.discard(by, id, reason);
    },
    back: () => '/ops/callbacks',
  },
  {
    path: '/ops/notifications/:id/resend',
    role: 'support',
    run: async ({ notifications }, by, id) => notifications.resend(by, id),
    back: () => '/ops/notifications',
  },
  {
    path: '/ops/jobs/:id/run',
    role: 'support',
    run: async ({ jobs }, by, id) => jobs.run(by, id),
    back: () => '/ops/jobs',
  },
  ...(['acknowledge', 'resolve'] as const).map((name): ConsoleAct => ({
    path: `/ops/alarms/:id/${name}`,
    role: 'support',
    run: async ({ alarmActs }, by, id, typed) => void (await alarmActs[name](by, id, reasonOf(typed))),
    back: () => '/ops/alarms',
  })),
  {
    path: '/ops/merchants/:id/endpoints',
    role: 'support',
    run: async (deps, by, id, { origin = '', environment }) => {
      const name = await merchantName(deps, id);
      const mode = environment === 'live' ? 'live' : 'test';
      await deps.endpointActs.enable(by, { owner: { id: Number(id), name }, environment: mode, origin });
    },
    back: toMerchant,
  },
  ...(['on', 'draining', 'off'] as const).map(turnTo),
  {
    path: '/ops/keys/:id/limit',
    role: 'admin',
    run: async ({ access }, by, id, { limit = '' }) => {
      if (!/^\d{1,9}$/.test(limit)) throw invalidField('limit', limit, 'must be a whole number');
      await access.limitKey(by, id, Number(limit));
    },
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/revoke',
    role: 'admin',
    effect: async (_, id) => `This ends the key ${id} within 2 s: whoever calls with it is refused.`,
    run: async ({ access }, by, id) => access.revokeKey(by, id),
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/rotate',
    role: 'admin',
    effect: async (_, id) => `This makes a new key with the settings of ${id}, which itself ends in 24 hours.`,
    run: async ({ access }, by, id) => {
      const { key, keyId, previousValidUntil } = await access.rotateKey(by, id);
      const end = previousValidUntil.toISOString();
      return { title: `New key ${keyId}`, lines: [...keyLines(key), ['The old one ends at', end]] };
    },
    back: toOwner,
  },
  {
    path: '/ops/merchants/:id/brand',
    role: 'admin',
    upload: 'logo',
    run: async (deps, by, id, typed, file) => {
      await deps.access.setOwner(by, await merchantName(deps, id), brandOf(typed, file));
    },
    back: toMerchant,
  },
  {
    path: '/ops/merchants/:id/keys',
    role: 'admin',
    run: async (deps, by, id, typed) => {
      const owner = await merchantName(deps, id);
      const { key, keyId } = await deps.access.createKey(by, { owner, environment: environmentOf(typed) });
      return { title: `New key ${keyId}`, lines: keyLines(key) };
    },
    back: toMerchant,
  },
  {
    path: '/ops/merchants/:id/secret',
    role: 'admin',
    effect: async (deps, id, typed) =>
      `This gives ${await merchantName(deps, id)} a new webhook secret for ${environmentOf(typed)}: for 24 hours ` +
      'notifications are signed with both, then with the new one alone.',
    run: async (deps, by, id, typed) => {
      const owner = await merchantName(deps, id);
      const environment = toEnvironment(environmentOf(typed));
      const { webhookSecret, previousValidUntil } = await deps.access.rotateSecret(by, owner, environment);
      const end = previousValidUntil.toISOString();
      return {
        title: `New webhook secret of ${owner}`,
        lines: [
          ['Secret, shown only now', webhookSecret],
          ['The old one signs too until', end],
        ],
      };
    },
    back: toMerchant,
  },
  ...([false, true] as const).map(portalLink),
  {
    path: '/ops/portal-links/:id/revoke',
    role: 'support',
    run: async ({ portalActs }, by, id) => portalActs.revoke(by, id),
    back: async ({ portalLinks }, id) => `/ops/merchants/${(await portalLinks.get(id)).ownerId}`,
  },
];

/** Whoever may not rotate a webhook secret makes no link that does. */
function portalLink(allowsRotation: boolean): ConsoleAct {
  return {
    path: `/ops/merchants/:id/${allowsRotation ? 'rotating-portal' : 'portal'}`,
    role: allowsRotation ? 'admin' : 'support',
    run: async (deps, by, id, typed) => {
      const owner = { id: Number(id), name: await merchantName(deps, id) };
      const environment = toEnvironment(environmentOf(typed));
      const link = await deps.portalActs.create(by, { owner, environment, allowsRotation });
      return {
        title: `Portal of ${owner.name}, ${environment} mode`,
        lines: [
          ['Link, shown only now', link.url],
          ['It ends at', link.expiresAt.toISOString()],
        ],
      };
    },
    back: toMerchant,
  };
}

function toMerchant(_: ConsoleDeps, id: string): string {
  return `/ops/merchants/${encodeURIComponent(id)}`;
}

async function toOwner({ keys }: ConsoleDeps, keyId: string): Promise<string> {
  return `/ops/merchants/${(await keys.get(keyId)).ownerId}`;
}

/** A field that was left empty takes its member away; one that the form has not stays as it is. */
function brandOf(typed: Typed, logo: Uint8Array | undefined): BrandChanges {
  const texts = brandTexts.map(({ name }) => [name, typed[name] === '' ? null : typed[name]] as const);
  return { ...Object.fromEntries(texts), logo: logo ?? (typed['noLogo'] === 'yes' ? null : undefined) };
}

function keyLines(key: string): ShownOnce['lines'] {
  return [['Key, shown only now', key]];
}

function turnTo(to: AdapterStateWord): ConsoleAct {
  return {
    path: `/ops/adapters/:id/${to}`,
    role: 'admin',
    ...(to !== 'on' && { effect: async (deps: ConsoleDeps, id: string) => effectOfTurning(deps, id, to) }),
    run: async (deps, by, id, typed) => {
      await knownAdapter(deps, id);
      // Whoever agreed has read what is open.
      await deps.turn(by, { adapter: id, to, reason: reasonOf(typed), isForced: true });
    },
    back: () => '/ops/adapters',
  };
}

async function effectOfTurning(deps: ConsoleDeps, id: string, to: 'draining' | 'off'): Promise<string> {
  await knownAdapter(deps, id);
  if (to === 'draining') return `${id} takes no new payments from now on; those that are open go on.`;
  const { pending, recentlyPaid } = await deps.adapterStates.openMoney(id);
  return (
    `${id} is not there from now on: its callbacks are answered 404, which some providers take as final, and nobody asks it. ` +
    `${pending} payments are pending there, and ${recentlyPaid} were paid so recently that a refund or a chargeback may come.`
  );
}

async function knownAdapter({ adapterStates }: ConsoleDeps, name: string): Promise<void> {
  const { states } = await adapterStates.read();
  if (!Object.hasOwn(states, name)) throw notFound('an adapter of this name');
}

function environmentOf({ environment }: Typed): (typeof environments)[number] {
  const found = environments.find((one) => one === environment);
  if (!found) throw invalidField('environment', environment, `must be ${environments.join(' or ')}`);
  return found;
}

/** What is no number names no payment. */
export function paymentIdOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

function amountOf({ amount = '' }: Typed): string | undefined {
  if (amount === '') return undefined;
  if (!isDecimal(amount)) throw invalidField('amount', amount, 'must be a decimal number');
  return amount;
}

function reasonOf({ reason = '' }: Typed): string | undefined {
  return reason === '' ? undefined : reason;
}
