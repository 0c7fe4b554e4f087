import { secretPaths } from '@paywright/contract';
import { contractVersion } from '@paywright/contract/core';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.ts';
import { findApi, readState } from '../../../workers/supervisor/data-folder/index.ts';
import { ownSandboxes } from '../../../workers/supervisor/start/choose-ports.ts';
import { withAnySandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { loadCheckedConfig } from '../load-checked-config.ts';
import { toProblems } from '../../../workers/supervisor/start-error.ts';
import { hasDatabase, withDatabase } from '../with-database.ts';
import {
  askProvider,
  checkReach,
  checkSettings,
  configuredEntries,
  createAccountEvidence,
  createReportedIds,
  callbackPath,
  mainAccount,
  readAdapters,
  sidesOf,
  storedRefOf,
  type AccountEvidence,
  type ActiveAdapter,
  type Finding,
  type KeepReportedId,
  type LoadedAdapter,
} from '../../engine/providers/index.ts';
import { findUnknownMerchants } from '../../engine/access/index.ts';
import { createAlarms } from '../../engine/alarms/index.ts';
import { findUnusedAddresses, noteMissingCallbacks } from '../../engine/callbacks/index.ts';
import { createMigrations, describeProgress } from '../../engine/migrations/index.ts';
import { currentVersion } from '../../database/collections/schema-version.ts';
import { readAuditHead } from '../../database/collections/audit-entry.ts';
import { readAccountsOfDatabase } from '../stored-accounts.ts';
import { json } from '../json.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { methodOf } from '../explain-here.ts';

export const doctor = defineCommand({
  options: {
    offline: { type: 'boolean', help: 'do not connect to providers' },
    pci: { type: 'boolean', help: 'also check what PCI DSS asks: cards, TLS, and the script of the payer’s page' },
    link: { type: 'string', value: '<address>', help: 'with --pci: the link of an open payment, to check its page' },
    json: { ...json, help: 'print JSON at the end; findings go to standard error in the meantime' },
  },
  notes: ['Also prints what to enter in each provider’s console. Exits with 1 if a check fails.'],
  async run({ values, shell: given }) {
    if (values.link !== undefined && !values.pci) throw new UsageError('--link needs --pci.');
    const lines: string[] = [];
    const keep = (line: string): void => {
      lines.push(line);
      given.stderr(line);
    };
    const shell: Shell = values.json ? { ...given, print: keep } : given;
    const { print } = shell;
    let wrong = 0;
    const fail = (line: string): void => {
      wrong += 1;
      print(`WRONG  ${line}`);
    };
    const warn = (line: string): void => print(`warn   ${line}`);
    const report = (findings: readonly Pick<Finding, 'state' | 'text'>[]): void => {
      for (const { state, text } of findings) {
        if (state === 'wrong') fail(text);
        else if (state === 'warn') warn(text);
        else print(`${state === 'ok' ? 'ok' : '--'}     ${text}`);
      }
    };
    const end = (): number => {
      if (values.json) given.print(JSON.stringify({ problems: wrong, findings: lines.map(toFinding) }));
      else print(wrong ? `${wrong} problem${wrong === 1 ? '' : 's'}` : 'no problems');
      return wrong ? 1 : 0;
    };
    const loaded = await readSettings(shell, fail);
    if (!loaded) return end();
    print(`ok     config of ${loaded.environment}: ${loaded.files.length} files`);
    const running = await findApi(loaded.config.database.dataDir);
    const own = ownSandboxes(loaded.config);
    const accounts = await loadEach(loaded, shell, fail);
    for (const active of accounts) {
      describe(active, loaded, shell);
      report(checkSettings(active, loaded.isProduction));
      if (values.offline) continue;
      const isStopped = !running && own.includes(active.name);
      if (isStopped)
        warn(
          `${active.name}: its sandbox is not running, because the service is stopped: "paywright start" starts both`,
        );
      const sides = sidesOf(active, loaded.config.keys).filter((sandbox) => !(sandbox && isStopped));
      report(await checkReach(active, sides));
      report(await askAboutAccount(active, sides, loaded, shell));
    }
    checkPublicUrl(loaded, print, fail);
    if (running?.hasUnknownProxy)
      warn(
        'requests carry X-Forwarded-For, but server.trustedProxies is 0: all clients appear with the address of the proxy; set the number of proxies (config/README.md)',
      );
    const { smtp, catcher } = loaded.config.mail;
    if (!smtp && !catcher)
      fail('mail.smtp is not set: requests with send=true fail with SYS001, and no link is mailed');
    for (const warning of [...loaded.warnings, ...unreportedAlarms(loaded)]) warn(warning);
    await checkDatabase(loaded, accounts, shell, { fail, warn });
    if (values.pci) {
      const { config } = loaded;
      const { checkPci } = await import('../pci.ts');
      report(await checkPci({ config, accounts, calls: { methodOf }, link: values.link, offline: values.offline }));
    }
    return end();
  },
});

/** Converts a line to data. State `info`: text to enter in a provider's console. */
function toFinding(line: string): { readonly state: string; readonly text: string } {
  const [, word = '', text = ''] = /^(ok|--|warn|WRONG)? *(.*)/s.exec(line) ?? [];
  return { state: word === '' ? 'info' : word === '--' ? 'unchecked' : word.toLowerCase(), text };
}

/** Reports all problems of settings and adapters. Undefined if the settings themselves are wrong. */
async function readSettings({ env, root }: Shell, fail: (line: string) => void): Promise<LoadedConfig | undefined> {
  try {
    return await loadCheckedConfig({ env, root });
  } catch (error) {
    for (const problem of toProblems(error)) fail(problem);
    return loadConfig({ env, root }).catch(() => undefined);
  }
}

/**
 * Returns the accounts that can be loaded, and reports the problems of accounts of the database. Those of config are
 * already reported, and those of the database itself are reported later.
 */
async function loadEach(loaded: LoadedConfig, shell: Shell, fail: (line: string) => void): Promise<ActiveAdapter[]> {
  const stored = await readAccountsOfDatabase(shell, loaded).catch(() => new Map<string, never>());
  const { ports } = await readState(loaded.config.database.dataDir);
  const config = withAnySandboxes(loaded.config, ports.sandboxes);
  const { root, isProduction } = loaded;
  const entries = configuredEntries({ ...loaded, config }, {}, stored);
  const { loaded: all, findings } = await readAdapters(entries, { gatewayRoot: root, isProduction });
  for (const finding of findings) {
    const ref = storedRefOf(finding, entries);
    const option = finding.path.slice(2).join('.');
    if (ref !== undefined)
      fail([ref, option, finding.message, `use paywright accounts set ${ref}`].filter(Boolean).join(': '));
  }
  const isWrong = ({ name, account }: LoadedAdapter): boolean =>
    findings.some(({ adapter, path }) => adapter === name && (path[0] !== 'accounts' || path[1] === account));
  return all.filter((found) => found.adapter !== null).filter((found) => !isWrong(found));
}

function describe(
  { account, ref, state, adapter, sandboxOptions, sandboxAddresses }: ActiveAdapter,
  { config }: LoadedConfig,
  { print }: Shell,
): void {
  const { manifest, callbacks } = adapter;
  const secrets = secretPaths(manifest.options).length;
  print(
    `ok     ${ref}: ${state}, code ${manifest.code}, contract ${manifest.contract} (here ${contractVersion}), ${secretOptions(secrets)}`,
  );
  const { publicUrl } = config.server;
  for (const { method, path, reports } of callbacks)
    print(`         ${method} ${publicUrl}/callbacks/${callbackPath(path, account)}  ${reports}`);
  // An account shares the rest with its adapter.
  if (account !== mainAccount) return;
  for (const [option, address] of Object.entries(sandboxAddresses)) {
    const path = address.slice(sandboxOptions.sandboxBaseUrl.length);
    print(`         sandbox: ${option} of test payments is its address${path && ` and ${path}`}`);
  }
  for (const line of manifest.console ?? []) print(`         console: ${line.replaceAll('{publicUrl}', publicUrl)}`);
}

/** An option may be a list of secrets, so this counts options. */
export function secretOptions(count: number): string {
  return count === 1 ? '1 secret option' : `${count} secret options`;
}

/** Asks the provider about our account, in each mode that this environment uses. */
export async function askAboutAccount(
  active: ActiveAdapter,
  sides: readonly boolean[],
  loaded: LoadedConfig,
  shell: Shell,
): Promise<readonly Finding[]> {
  const { config } = loaded;
  const deps = {
    config: config.provider,
    publicUrl: config.server.publicUrl,
    callbackSandbox: !config.keys.liveKeys,
    onSilence: async (name: string): Promise<void> => noteSilence(name, loaded, shell),
    evidence: readEvidence(loaded, shell),
    keepReportedId: compareId(loaded, shell),
  };
  return askProvider(deps, active, sides);
}

/** Compares the id that the provider names with that of earlier checks. A database that fails is reported elsewhere. */
function compareId(loaded: LoadedConfig, shell: Shell): KeepReportedId {
  return async (...shown) => {
    if (!(await hasDatabase(loaded))) return undefined;
    return withDatabase(shell, async ({ connection }) =>
      createReportedIds(connection, () => new Date())(...shown),
    ).catch(() => undefined);
  };
}

/** What the payments of the service showed about our credentials. A database that fails is reported elsewhere. */
function readEvidence(loaded: LoadedConfig, shell: Shell): AccountEvidence {
  return {
    async refusal(adapter, mode) {
      if (!(await hasDatabase(loaded))) return undefined;
      const { alarms: config } = loaded.config;
      return withDatabase(shell, async ({ connection }) =>
        createAccountEvidence(createAlarms({ connection, config, log: pino({ level: 'silent' }) })).refusal(
          adapter,
          mode,
        ),
      ).catch(() => undefined);
    },
  };
}

/** Lets the service check payments once a callback is accepted again. A database that fails is reported elsewhere. */
async function noteSilence(adapter: string, loaded: LoadedConfig, shell: Shell): Promise<void> {
  if (!(await hasDatabase(loaded))) return;
  await withDatabase(shell, async ({ connection }) => noteMissingCallbacks(connection, adapter, new Date())).catch(
    () => undefined,
  );
}

/**
 * Checks that the database answers, has a schema version that this version reads and matches our encryption keys, and
 * that callbacks reach every account.
 */
async function checkDatabase(
  loaded: LoadedConfig,
  accounts: readonly ActiveAdapter[],
  shell: Shell,
  { fail, warn }: Readonly<Record<'fail' | 'warn', (line: string) => void>>,
): Promise<void> {
  const reportUnused = async (connection?: Connection): Promise<void> => {
    for (const line of await findUnusedAddresses(accounts, connection)) fail(line);
  };
  if (!(await hasDatabase(loaded))) return reportUnused();
  try {
    await withDatabase(shell, async ({ encrypter, connection }) => {
      for (const line of await findUnknownMerchants(connection, loaded.config)) fail(line);
      const migration = await createMigrations({ connection, now: () => new Date() }).status();
      if (migration) warn(`database: ${describeProgress(migration)}`);
      else shell.print(`ok     the database has schema version ${currentVersion}`);
      shell.print(`ok     the encryption keys match the database; the first key is ${encrypter.keyId}`);
      const head = await readAuditHead(connection);
      if (head)
        shell.print(`ok     the audit log ends with ${head.sequence}:${head.hash}; note this outside the database`);
      await reportUnused(connection);
    });
  } catch (error) {
    for (const problem of toProblems(error)) fail(problem);
  }
}

/** Warns if alarms are not reported: operators would find them too late. */
export function unreportedAlarms({ config, isProduction }: Pick<LoadedConfig, 'isProduction'> & Unreported): string[] {
  const { webhook, mailTo } = config.alarms;
  const isUnsent = mailTo.length > 0 && !config.mail.smtp && !config.mail.catcher;
  const isUnreported = isProduction && !webhook && mailTo.length === 0;
  return [
    ...(isUnreported ? ['alarms are not reported: set alarms.webhook or alarms.mailTo (config/README.md)'] : []),
    ...(isUnsent ? ['alarms.mailTo has no effect without a mail server: set mail.smtp'] : []),
  ];
}

interface Unreported {
  readonly config: Pick<LoadedConfig['config'], 'alarms' | 'mail'>;
}

function checkPublicUrl(
  { config, isProduction }: LoadedConfig,
  print: (line: string) => void,
  fail: (line: string) => void,
): void {
  const { publicUrl } = config.server;
  const { hostname, protocol } = new URL(publicUrl);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (isProduction && (protocol !== 'https:' || isLocal))
    fail(`PUBLIC_URL ${publicUrl}: providers cannot reach this address`);
  else print(`ok     providers and payers reach ${publicUrl}${isLocal ? ' (this machine only)' : ''}`);
}
