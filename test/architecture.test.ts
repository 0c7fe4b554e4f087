/** Checks which part imports which, and that core names no provider. Reads the sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { listAdapterPackages, type AdapterPackage } from '../core/engine/providers/load/adapter-packages.ts';
import { engineFolders, partOf, parts } from './architecture/parts.ts';
import { isTest, linesOf, readSources, type Source } from './architecture/sources.ts';
import { root } from './support/start-gateway.ts';

const sources = ['core', 'adapters', 'workers', 'config'].flatMap(readSources).filter(({ path }) => !isTest(path));
const under = (folder: string): Source[] => sources.filter(({ path }) => path.startsWith(folder));

function offences(from: readonly Source[], isForbidden: (imported: string, source: Source) => boolean): string[] {
  return from.flatMap((source) =>
    source.imports.filter((name) => isForbidden(name, source)).map((name) => `${source.path} imports ${name}`),
  );
}

/** Longest path first: `core/engine/payments/state/` before `core/engine/payments/`. */
const floorOf = (path: string): number =>
  engineFolders.findIndex((folder) => folder === engineFolders.filter((start) => path.startsWith(start)).at(-1));

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
  'dispute',
  'capture',
  'void',
  'close',
  'check-account',
  'mark-seen',
  'payer',
  'brands',
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
    return ['conformance', 'openapi', 'published', 'vectors'].includes(tested) || paths.includes(`${tested}.ts`);
  };
  const hasPlace = (path: string): boolean => {
    if (!path.includes('/')) return !objects.slice(2).includes(path);
    if (path.startsWith('callbacks/')) return callbacks.includes(path);
    return /^(test\/)?sandbox\//.test(path) || path === 'test/messages.ts' || isTestOfFile(path);
  };
  return paths.filter((path) => !hasPlace(path));
}

/** The parts that know nothing of Koa: what they do is called by HTTP, by workers and by commands alike. */
const withoutKoa = ['contract', 'client', 'shops', 'base', 'database', 'engine', 'settlement', 'erasure'];

/** Words of payments that are names of adapters, too. */
const ordinaryWords = ['crypto', 'token', 'upi'];
const providerNames = readdirSync(join(root, 'adapters'))
  .filter((name) => existsSync(join(root, 'adapters', name, 'package.json')) && !ordinaryWords.includes(name))
  .map((name) => name.replace('-', '-?'));
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
    const isCommand = ({ path }: Source): boolean => /^core\/client\/(command\.ts|listen\/)/.test(path);
    const isShop = (path: string): boolean => path.startsWith('core/client/shops/');
    expect(
      offences(
        under('core/client/').filter(({ path }) => !isShop(path)),
        (name, source) => !name.startsWith('core/client/') && !(name.startsWith('node:') && isCommand(source)),
      ),
    ).to.deep.equal([]);
    expect(
      offences(sources, (name, { path }) => name.startsWith('core/client/') && !path.startsWith('core/client/')),
    ).to.deep.equal([]);
  });

  it('lets a shop package import the client by its name and its shop, and nothing else', () => {
    const shops = readdirSync(join(root, 'core/client/shops')).map((name) => `core/client/shops/${name}/`);
    for (const shop of shops) {
      const read = readFileSync(join(root, shop, 'package.json'), 'utf8');
      const { dependencies, peerDependencies } = JSON.parse(read) as Record<string, Readonly<Record<string, string>>>;
      expect(Object.keys(dependencies!)).to.deep.equal(['@paywright/client']);
      const packages = Object.keys({ ...dependencies, ...peerDependencies });
      const isAllowed = (name: string, { path }: Source): boolean =>
        name.startsWith(shop) ||
        packages.some((one) => name === one || name.startsWith(`${one}/`)) ||
        (name.startsWith('node:') && path.startsWith(`${shop}example/`));
      expect(under(shop).length).to.be.greaterThan(3);
      expect(offences(under(shop), (name, source) => !isAllowed(name, source))).to.deep.equal([]);
    }
  });

  it('lets an adapter import the contract by its name, and nothing else of ours', () => {
    const ours = (name: string, { path }: Source): boolean => {
      const home = path.split('/').slice(0, 2).join('/');
      if (name.startsWith('@paywright/')) return !/^@paywright\/contract(\/(?!core$)|$)/.test(name);
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
        'test/messages.ts',
        'test/conformance.test.ts',
        'test/published.test.ts',
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
    const file = (path: string, ...imports: string[]): Source => ({ path, code: '', imports, typeImports: new Set() });
    const files = [file('a', 'b'), file('b', 'c'), file('c', 'b', 'd'), file('d'), file('e', 'a')];
    expect(circlesOf(files)).to.deep.equal(['b imports c', 'c imports b']);
  });

  it('has every file in a part', () => {
    const all = [...under('core/'), ...under('workers/'), ...under('config/')];
    expect(all.filter(({ path }) => partOf(path) === undefined).map(({ path }) => path)).to.deep.equal([]);
    const unknown = parts.flatMap(({ imports }) => imports).filter((name) => !parts.some((part) => part.name === name));
    expect(unknown).to.deep.equal([]);
  });

  for (const { name, imports } of parts) {
    it(`lets ${name} import only ${[...imports, 'base', 'contract'].join(', ')}`, () => {
      const allowed = [name, ...imports, ...(name === 'contract' || name === 'client' ? [] : ['base', 'contract'])];
      const own = sources.filter(({ path }) => partOf(path)?.name === name);
      expect(own.length).to.be.greaterThan(0);
      const isForbidden = (imported: string, { typeImports }: Source): boolean => {
        const part = partOf(imported);
        // `base` names the shape of the settings, and reads no settings.
        if (name === 'base' && imported === 'config/schema.ts') return !typeImports.has(imported);
        return part !== undefined && !allowed.includes(part.name);
      };
      expect(offences(own, isForbidden)).to.deep.equal([]);
    });
  }

  it('assigns each file to its part and its floor', () => {
    expect(partOf('core/engine/payments/index.ts')?.name).to.equal('engine');
    expect(partOf('core/gateway.ts')?.name).to.equal('composition');
    expect(partOf('core/other.ts')).to.equal(undefined);
    expect(floorOf('core/engine/payments/state/decide.ts')).to.be.greaterThan(
      floorOf('core/engine/payments/commands/pay.ts'),
    );
  });

  it('imports downward only between the folders of the engine', () => {
    const engine = under('core/engine/');
    expect(engine.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path)).to.deep.equal([]);
    expect(
      offences(engine, (name, { path }) => name.startsWith('core/engine/') && floorOf(name) < floorOf(path)),
    ).to.deep.equal([]);
  });

  it('lets callbacks call payments only through its index', () => {
    expect(
      offences(
        under('core/engine/callbacks/'),
        (name) => name.startsWith('core/engine/payments/') && name !== 'core/engine/payments/index.ts',
      ),
    ).to.deep.equal([]);
  });

  it('has at most four loose files in core', () => {
    const loose = readdirSync(join(root, 'core'), { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(loose.length).to.be.at.most(4);
  });

  it('keeps core and workers away from adapters', () => {
    expect(
      offences(
        [...under('core/').filter(({ path }) => partOf(path)?.name !== 'shops'), ...under('workers/')],
        (name) => name.startsWith('adapters/') || /^@paywright\/(?!contract|client\/listen$)/.test(name),
      ),
    ).to.deep.equal([]);
  });

  it('keeps Koa out of the domain, and the database driver out of http', () => {
    const domain = sources.filter(({ path }) => withoutKoa.includes(partOf(path)?.name ?? ''));
    expect(offences(domain, (name) => /koa/.test(name))).to.deep.equal([]);
    const pages = ['http', 'checkout', 'docs', 'html'];
    const outer = sources.filter(({ path }) => pages.includes(partOf(path)?.name ?? ''));
    expect(offences(outer, (name) => /mongoose|mongodb|agenda/.test(name))).to.deep.equal([]);
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
