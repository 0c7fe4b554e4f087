/** Who may import what, and that core names no provider: read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { listAdapterPackages, type AdapterPackage } from '../core/engine/providers/load/adapter-packages.ts';
import { root } from './support/start-gateway.ts';

interface Source {
  /** From the root, with slashes. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Packages by name, our own files by their path from the root. */
  readonly imports: readonly string[];
}

const isTest = (path: string): boolean => /\.test\.ts$|\/test(ing|s)?\/|(^|\/)test-[\w-]+\.ts$|^test\//.test(path);
const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

function readSources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(dist|node_modules)\//.test(path) && !path.endsWith('.d.ts'))
    .map((path) => {
      const code = withoutComments(readFileSync(join(root, path), 'utf8'));
      const named = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
      return { path, code, imports: named.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name)) };
    });
}

const linesOf = (path: string): number => readFileSync(join(root, path), 'utf8').split('\n').length - 1;

const sources = ['core', 'adapters', 'workers', 'config'].flatMap(readSources).filter(({ path }) => !isTest(path));
const under = (folder: string): Source[] => sources.filter(({ path }) => path.startsWith(folder));

function offences(from: readonly Source[], isForbidden: (imported: string, source: Source) => boolean): string[] {
  return from.flatMap((source) =>
    source.imports.filter((name) => isForbidden(name, source)).map((name) => `${source.path} imports ${name}`),
  );
}

/** From the top floor down: a file imports from its own room and from those below, never from above. */
const rooms = [
  'core/cli/',
  'workers/api.ts',
  'workers/worker.ts',
  'workers/ops.ts',
  'workers/supervisor/',
  'workers/jobs/',
  'core/gateway.ts',
  'core/console/',
  'core/http/',
  'core/portal/',
  'core/engine/jobs/',
  'core/erasure/',
  'core/settlement/',
  'core/engine/callbacks/',
  'core/engine/payments/',
  'core/engine/payments/state/',
  'core/engine/notifications/',
  'core/engine/access/',
  'core/engine/providers/',
  'core/engine/alarms/',
  'core/engine/secrets/',
  'core/engine/audit/',
  'core/base/run-config.ts',
  'config/',
  'core/database/',
  'core/base/metrics/',
  'core/base/traces/',
  'core/',
  'core/contract/',
  'core/client/',
];
/** The longest name that fits: `core/` is for what no folder of core has. */
const floorOf = (path: string): number =>
  rooms.indexOf(rooms.filter((room) => path.startsWith(room)).sort((a, b) => b.length - a.length)[0] ?? '');

/** Every file from which imports lead back to it, with those that do. */
function circlesOf(files: readonly Source[]): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const leadsTo = (from: string, to: string): boolean => {
    const reached = new Set([from]);
    for (const path of reached) for (const name of importsOf.get(path) ?? []) reached.add(name);
    return reached.has(to);
  };
  return files.flatMap(({ path, imports }) =>
    imports.filter((name) => leadsTo(name, path)).map((name) => `${path} imports ${name}`),
  );
}

/** What an adapter's own files are called; beside these are at most two of the provider's own objects. */
const adapterFiles = [
  'index',
  'options',
  'statuses',
  'submit',
  'complete',
  'fetch-status',
  'refund',
  'capture',
  'void',
  'check-account',
  'mark-seen',
  'wire',
  'signing',
];
const kebabOf = (route: string): string => route.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

/** The files of an adapter, by their paths in its folder, that are not where a reader looks for them. */
function misplacedFiles(paths: readonly string[], routes: readonly string[]): string[] {
  const callbacks = routes.map((route) => `callbacks/${kebabOf(route)}.ts`);
  const objects = paths.filter((path) => !path.includes('/') && !adapterFiles.includes(path.replace(/\.ts$/, '')));
  const isTestOfFile = (path: string): boolean => {
    const tested = /^test\/(.+)\.test\.ts$/.exec(path)?.[1] ?? '';
    return ['conformance', 'openapi', 'vectors'].includes(tested) || paths.includes(`${tested}.ts`);
  };
  const hasPlace = (path: string): boolean => {
    if (!path.includes('/')) return !objects.slice(2).includes(path);
    if (path.startsWith('callbacks/')) return callbacks.includes(path);
    return /^(test\/)?sandbox\//.test(path) || path === 'test/helpers.ts' || isTestOfFile(path);
  };
  return paths.filter((path) => !hasPlace(path));
}

/** Folders of core that speak HTTP to somebody; all others are the domain's, or below it. */
const outer = ['core/http/', 'core/console/', 'core/cli/'];
const domain = under('core/').filter(
  ({ path }) => path !== 'core/gateway.ts' && !outer.some((folder) => path.startsWith(folder)),
);

/** Words of payments that are names of adapters, too. */
const ordinaryWords = ['crypto', 'token', 'upi'];
const providerNames = readdirSync(join(root, 'adapters'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ordinaryWords.includes(entry.name))
  .map(({ name }) => name.replace('-', '-?'));
/** By the name of its adapter, or by a callback route. */
const namesProvider = new RegExp(
  `(?:${providerNames.join('|')})(?![a-z])|providerA3ds|providerChp|providerDhp|providerEh2h`,
  'gi',
);

describe('the architecture', () => {
  it('is read from real sources', () => {
    expect(under('core/contract/').length).to.be.greaterThan(10);
    expect(under('adapters/').length).to.be.greaterThan(5);
    expect(sources.flatMap(({ imports }) => imports).length).to.be.greaterThan(300);
  });

  it('lets the contract import nothing of ours', () => {
    expect(
      offences(
        under('core/contract/'),
        (name) => /^(core|adapters|workers|config)\//.test(name) && !name.startsWith('core/contract/'),
      ),
    ).to.deep.equal([]);
    expect(
      offences(under('core/contract/'), (name) => name.startsWith('@paywright/') || /koa|mongo|agenda/.test(name)),
    ).to.deep.equal([]);
  });

  it('lets the client of merchants import nothing but itself', () => {
    expect(offences(under('core/client/'), (name) => !name.startsWith('core/client/'))).to.deep.equal([]);
    expect(
      offences(sources, (name, { path }) => name.startsWith('core/client/') && !path.startsWith('core/client/')),
    ).to.deep.equal([]);
  });

  it('lets an adapter import the contract by its name, and nothing else of ours', () => {
    const ours = (name: string, { path }: Source): boolean => {
      const home = path.split('/').slice(0, 2).join('/');
      if (name.startsWith('@paywright/')) return !/^@paywright\/contract(\/|$)/.test(name);
      return /^(core|adapters|workers|config)\//.test(name) && !name.startsWith(`${home}/`);
    };
    expect(offences(under('adapters/'), ours)).to.deep.equal([]);
    expect(
      offences(under('adapters/'), (name) => /koa|mongo|agenda|^node:(fs|child_process)/.test(name)),
    ).to.deep.equal([]);
  });

  describe('of an adapter', () => {
    let packages: readonly AdapterPackage[];
    before(async () => {
      packages = await listAdapterPackages(root);
    });

    const filesOf = (folder: string): string[] =>
      readSources(`adapters/${folder}`).map(({ path }) => path.slice(`adapters/${folder}/`.length));

    it('has each file where a reader looks for it', () => {
      expect(packages.length).to.be.greaterThan(10);
      const misplaced = packages.flatMap(({ folder, adapter }) => {
        const routes = adapter?.callbacks.map(({ path }) => path) ?? [];
        return misplacedFiles(filesOf(folder), routes).map((path) => `adapters/${folder}/${path}`);
      });
      expect(misplaced).to.deep.equal([]);
    });

    it('has an index of at most 90 lines', () => {
      for (const { folder } of packages) expect(linesOf(`adapters/${folder}/index.ts`), folder).to.be.at.most(90);
    });

    it('is seen to be misplaced where it is', () => {
      const good = [
        'index.ts',
        'order.ts',
        'page.ts',
        'callbacks/acme-hp.ts',
        'sandbox/pages.ts',
        'test/order.test.ts',
      ];
      const more = [
        'test/callbacks/acme-hp.test.ts',
        'test/sandbox/visit.ts',
        'test/helpers.ts',
        'test/conformance.test.ts',
      ];
      expect(misplacedFiles([...good, ...more], ['acmeHp'])).to.deep.equal([]);
      const bad = ['things.ts', 'callbacks/acme.ts', 'test/visit.ts', 'test/misc.test.ts', 'util/text.ts'];
      expect(misplacedFiles([...good, ...bad, ...more], ['acmeHp'])).to.deep.equal(bad);
    });
  });

  it('puts the domains together in at most 150 lines', () => {
    expect(linesOf('core/gateway.ts')).to.be.at.most(150);
  });

  it('has no circle of files', () => {
    expect(circlesOf(sources)).to.deep.equal([]);
  });

  it('finds a circle where there is one', () => {
    const file = (path: string, ...imports: string[]): Source => ({ path, code: '', imports });
    const files = [file('a', 'b'), file('b', 'c'), file('c', 'b', 'd'), file('d'), file('e', 'a')];
    expect(circlesOf(files)).to.deep.equal(['b imports c', 'c imports b']);
  });

  it('imports downward only, from room to room', () => {
    const ours = (name: string): boolean => /^(core|workers|config)\//.test(name);
    const all = [...under('core/'), ...under('workers/'), ...under('config/')];
    expect(all.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path)).to.deep.equal([]);
    expect(offences(all, (name, { path }) => ours(name) && floorOf(name) < floorOf(path))).to.deep.equal([]);
  });

  it('keeps core away from adapters, workers and config, but for the command and the gateway itself', () => {
    expect(
      offences(
        [...under('core/'), ...under('workers/')],
        (name) => name.startsWith('adapters/') || /^@paywright\/(?!contract)/.test(name),
      ),
    ).to.deep.equal([]);
    const isForbidden = (name: string, { path }: Source): boolean =>
      path.startsWith('core/cli/')
        ? /^workers\/(?!supervisor\/)/.test(name)
        : name.startsWith('workers/') ||
          (name.startsWith('config/') && !['core/gateway.ts', 'core/base/run-config.ts'].includes(path));
    expect(offences(under('core/'), isForbidden)).to.deep.equal([]);
  });

  it('lets nothing import the command', () => {
    expect(
      offences(sources, (name, { path }) => name.startsWith('core/cli/') && !path.startsWith('core/cli/')),
    ).to.deep.equal([]);
  });

  it('keeps Koa out of the domain, documents out of http, and http out of the workers', () => {
    expect(
      offences(domain, (name) => /koa/.test(name) || outer.some((folder) => name.startsWith(folder))),
    ).to.deep.equal([]);
    expect(
      offences(
        under('core/http/'),
        (name) => name.startsWith('core/database/') || /mongoose|mongodb|agenda/.test(name),
      ),
    ).to.deep.equal([]);
    expect(
      offences(under('workers/'), (name, { path }) => name.startsWith('core/http/') && path !== 'workers/api.ts'),
    ).to.deep.equal([]);
    const own = ['payments', 'callbacks', 'notifications', 'access', 'providers'].map((name) => `core/${name}/`);
    expect(offences(under('core/database/'), (name) => own.some((folder) => name.startsWith(folder)))).to.deep.equal(
      [],
    );
  });

  it('keeps helpers of tests in testing folders', () => {
    expect(offences(sources, (name) => ['mocha', 'chai', 'nock', 'fast-check'].includes(name))).to.deep.equal([]);
  });

  it('names no provider in core and workers', () => {
    const naming = [...under('core/'), ...under('workers/')].flatMap(({ path, code }) =>
      [...code.matchAll(namesProvider)].map(([name]) => `${path}: ${name}`),
    );
    expect(naming).to.deep.equal([]);
    expect([...'of Stripe, by providerA and in mollie.ts'.matchAll(namesProvider)].length).to.equal(3);
  });

  it('has nothing at the top level but what the card of the project names', () => {
    const allowed = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'core',
      'adapters',
      'workers',
      'config',
      'test',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'node_modules',
      'coverage',
    ];
    const found = readdirSync(root).filter((name) => !name.startsWith('.') && !allowed.includes(name));
    expect(found).to.deep.equal([]);
  });
});
