/**
 * What `paywright doctor --pci` checks: where cards reach this service, whether connections are encrypted, and whether
 * the payer's page is the page of this version. `config/deploy/pci.md` explains the requirements.
 */
import { hash, isLoopback } from '@paywright/contract';
import type { LoadedConfig } from '../../config/load-config.ts';
import { missingProtections } from '../../config/production-rules.ts';
import { payScript } from '../app.ts';
import { gatewayVersion } from '../base/version.ts';
import { asksForCard } from '../engine/payments/submit/payer-ways.ts';
import type { ProviderCalls } from '../engine/providers/calls.ts';
import { sidesOf, type ActiveAdapter, type Finding } from '../engine/providers/index.ts';

export type PciFinding = Pick<Finding, 'state' | 'text'>;

export interface PciFacts {
  readonly config: {
    readonly http: Pick<LoadedConfig['config']['http'], 'refuseCardNumbers'>;
    readonly server: Pick<LoadedConfig['config']['server'], 'publicUrl' | 'trustedProxies'>;
    readonly database: Pick<LoadedConfig['config']['database'], 'uri'>;
    readonly keys: Pick<LoadedConfig['config']['keys'], 'liveKeys'>;
  };
  readonly accounts: readonly ActiveAdapter[];
  readonly calls: Pick<ProviderCalls, 'methodOf'>;
  /** The link of a payment whose page is checked. */
  readonly link?: string | undefined;
  /** True: the served page is not fetched. */
  readonly offline?: boolean | undefined;
}

export async function checkPci(facts: PciFacts): Promise<readonly PciFinding[]> {
  const { config, offline, link } = facts;
  const { publicUrl } = config.server;
  const served = offline ? [] : [await checkScript(publicUrl), await checkPage(publicUrl, link)];
  return [...cardFindings(facts), ...tlsFindings(config), inventory, ...served, ...remaining];
}

/** Which adapters receive cards at this service, or are left out because it accepts none. */
export function cardFindings({ config, accounts, calls }: PciFacts): readonly PciFinding[] {
  const taking = accounts.filter(({ state, adapter }) => state === 'on' && adapter.manifest.inputs.includes('card'));
  const isTyped = (active: ActiveAdapter): boolean =>
    sidesOf(active, config.keys).some((sandbox) => asksForCard(calls, active, sandbox));
  if (config.http.refuseCardNumbers) {
    const unused = taking.filter((active) => active.adapter.manifest.inputs.length === 1 && isTyped(active));
    return [
      { state: 'ok', text: 'http.refuseCardNumbers is on: the service refuses card data' },
      ...unused.map(({ ref }): PciFinding => {
        return { state: 'warn', text: `${ref}: not offered, because it accepts nothing but cards: turn it off` };
      }),
    ];
  }
  if (taking.length === 0) {
    const text = 'http.refuseCardNumbers is off, and no adapter accepts cards: turn it on, so that this stays so';
    return [{ state: 'warn', text }];
  }
  const network = 'the network between proxy and service carries them: encrypt it, or let TLS end on this host';
  return [
    { state: 'warn', text: 'http.refuseCardNumbers is off: card numbers reach this service' },
    ...taking.map((active): PciFinding => {
      const where = isTyped(active) ? 'API calls and on the payer’s page' : 'API calls';
      return { state: 'warn', text: `${active.ref}: receives card numbers in ${where}` };
    }),
    ...(config.server.trustedProxies > 0 ? [{ state: 'unchecked', text: network } as const] : []),
  ];
}

/** Whether links, cards and stored data travel encrypted. */
export function tlsFindings({ server, database }: Pick<PciFacts['config'], 'server' | 'database'>): PciFinding[] {
  const { protocol, hostname } = new URL(server.publicUrl);
  const isLocal = isLoopback(hostname);
  const plain = `PUBLIC_URL ${server.publicUrl} has no TLS: serve it over https`;
  const page: PciFinding =
    protocol === 'https:'
      ? { state: 'ok', text: `PUBLIC_URL ${server.publicUrl} has TLS` }
      : { state: isLocal ? 'warn' : 'wrong', text: isLocal ? `${plain} before others reach it` : plain };
  const { uri } = database;
  if (uri === undefined)
    return [page, { state: 'warn', text: 'the service runs its own mongod on this machine: not for production' }];
  const missing = missingProtections(uri);
  if (missing.length === 0) return [page, { state: 'ok', text: 'the database is reached with credentials and TLS' }];
  return [page, { state: 'wrong', text: `the address of the database has no ${missing.join(' and no ')}` }];
}

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes).toString('hex');

/** Requirement 6.4.3: the scripts of the payer's page, their reason and their hash. */
const inventory: PciFinding = {
  state: 'ok',
  text: `the only script of the payer’s page is ${payScript.path}, sha256 ${sha256(payScript.bytes)}: it checks and formats what is typed, and refreshes the state (6.4.3)`,
};

const limitMs = 10_000;

async function get(address: string): Promise<Response | string> {
  return fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(limitMs) }).then(
    (answer) => (answer.status === 200 ? answer : `it answers ${answer.status}`),
    (error: unknown) => (error instanceof Error ? error.message : 'it does not answer'),
  );
}

/** Requirement 11.6.1: the script as a payer's browser receives it. */
export async function checkScript(publicUrl: string): Promise<PciFinding> {
  const address = `${publicUrl}/${payScript.path}`;
  const answer = await get(address);
  if (typeof answer === 'string') return { state: 'wrong', text: `${address} cannot be fetched: ${answer} (11.6.1)` };
  const found = sha256(new Uint8Array(await answer.arrayBuffer()));
  if (found === sha256(payScript.bytes))
    return { state: 'ok', text: `${address} is the script of version ${gatewayVersion} (11.6.1)` };
  const text = `${address} has sha256 ${found}, which is not the script of version ${gatewayVersion}: find out who changed it (11.6.1)`;
  return { state: 'wrong', text };
}

/** Requirement 11.6.1: policy and scripts of a page as a payer's browser receives it. */
export async function checkPage(publicUrl: string, link: string | undefined): Promise<PciFinding> {
  const name = 'the page of --link';
  const wrong = (problem: string): PciFinding => ({ state: 'wrong', text: `${name} ${problem} (11.6.1)` });
  if (link === undefined)
    return { state: 'unchecked', text: 'headers and scripts of the page: add --link with the link of an open payment' };
  if (!link.startsWith(`${publicUrl}/pay/`)) return wrong(`is not below ${publicUrl}/pay/`);
  const answer = await get(link);
  if (typeof answer === 'string') return wrong(`cannot be fetched: ${answer}`);
  const policy = answer.headers.get('Content-Security-Policy') ?? '';
  const [, sources = '*'] = /(?:^|; ?)script-src ([^;]*)/.exec(policy) ?? [];
  if (sources.trim() !== "'self'") return wrong(`allows other scripts than ours: its policy has script-src ${sources}`);
  const scripts = scriptTags(await answer.text());
  if (scripts.length === 0) return wrong('has no script: use the link of an open payment');
  const foreign = scripts.find((tag) => tag !== ownTag);
  if (foreign !== undefined) {
    const shown = foreign.slice(0, longestShown) || 'an inline script';
    return wrong(`has a script that is not of version ${gatewayVersion}: ${shown}`);
  }
  return { state: 'ok', text: `${name} allows and loads only the script of version ${gatewayVersion} (11.6.1)` };
}

/** The attributes of the tag of our script, as `core/html/page.ts` writes them. */
const ownTag = `src="../${payScript.path}" defer`;
const longestShown = 200;

/** The attributes of each script, as in the page. */
function scriptTags(page: string): string[] {
  const [, ...scripts] = page.split(/<script/i);
  return scripts.map((script) => script.slice(0, Math.max(script.indexOf('>'), 0)).trim());
}

/** What no program can check for the operator. */
const remaining: readonly PciFinding[] = [
  'segmentation of the network, hardening and patching of the hosts',
  'scans by an approved vendor (ASV) and penetration tests',
  'a weekly check from outside of your network: paywright doctor --pci, or the commands of config/deploy/pci.md',
  'reviews of the logs, training, and written policies',
].map((text) => ({ state: 'unchecked', text: `yours to do: ${text}` }));
