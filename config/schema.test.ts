import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { hideSecrets } from './hide-secrets.ts';
import { ConfigError, loadConfig, variables } from './load-config.ts';
import { readYaml } from '../core/base/text/read-yaml.ts';
import { Config } from './schema.ts';

const root = resolve(import.meta.dirname, '../..');

interface SchemaNode {
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly value?: SchemaNode;
  readonly item?: SchemaNode;
  readonly wrapped?: SchemaNode;
  readonly default?: unknown;
}

/** The kind of keys that a map has. Maps that are not listed have currencies as keys. */
const keyNames: Readonly<Record<string, string>> = {
  adapters: 'name',
  'adapters.<name>.accounts': 'account',
  'ops.singleSignOn.roles': 'user',
};

/**
 * Every setting of the schema in the notation of the README (`routes[].id`, `adapters.<name>.state`), with its default.
 */
function* listSettings(node: SchemaNode = Config as SchemaNode, path = ''): Generator<[string, unknown]> {
  const inner = node.wrapped ?? node;
  if (inner.entries) {
    for (const [key, child] of Object.entries(inner.entries)) yield* listSettings(child, path ? `${path}.${key}` : key);
  } else if (inner.value) {
    yield* listSettings(inner.value, `${path}.<${keyNames[path] ?? 'currency'}>`);
  } else if (inner.item?.entries) yield* listSettings(inner.item, `${path}[]`);
  else yield [path, typeof node.default === 'function' ? undefined : node.default];
}

const settings = [...listSettings()];

/** The text of a file that sets one setting. */
function setting(path: string, value: unknown): string {
  const keys = path
    .replaceAll('[]', '.0')
    .replace('<name>', 'provider-a')
    .replace('<account>', 'eu')
    .replace('<currency>', 'USD')
    .replace('<user>', 'ines')
    .split('.');
  return JSON.stringify(keys.reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value));
}

describe('settings', () => {
  it('reads the schema to its leaves', () => {
    const paths = settings.map(([path]) => path);
    expect(paths).to.include.members(['server.port', 'adapters.<name>.fee.fixed.<currency>', 'routes[].when.bin']);
    expect(paths).to.have.length.above(60);
  });

  describe('README', () => {
    let readme: string;
    let rows: Map<string, string>;
    before(async () => {
      readme = await readFile(join(root, 'config/README.md'), 'utf8');
      const lines = readme.split('## Keys')[1]?.split('\n') ?? [];
      rows = new Map(
        lines.flatMap((line) => {
          const [, key, fallback] = /^\| `([^`]+)` .*\| (\S.*?) +\|$/.exec(line) ?? [];
          return key && fallback ? [[key, fallback]] : [];
        }),
      );
    });

    it('names every setting and no other', () => {
      expect([...rows.keys()]).to.deep.equal(settings.map(([path]) => path));
    });

    it('shows the defaults in force', async () => {
      const { value } = readYaml(await readFile(join(root, 'config/default.yaml'), 'utf8'));
      for (const [path, fallback] of settings) {
        const said = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], value);
        const [, written] = /^`(.*)`$/.exec(rows.get(path) ?? '') ?? [];
        expect(written && JSON.parse(written), path).to.deep.equal(said ?? fallback);
      }
    });

    it('names the setting of each environment variable', () => {
      for (const [name, path] of Object.entries(variables)) {
        expect(readme).to.match(new RegExp(`^\\| \`${name}\` +\\| \`${path.join('.')}\``, 'm'));
      }
    });
  });

  describe('secrets', () => {
    let cwd: string;
    before(async () => {
      cwd = await mkdtemp(join(tmpdir(), 'gateway-config-'));
    });
    after(() => rm(cwd, { recursive: true }));

    /** Everything that the settings show to the outside, and whether they were accepted. */
    async function show(text: string, env: Record<string, string>): Promise<{ accepted: boolean; shown: string }> {
      await writeFile(join(cwd, 'x.yaml'), text);
      try {
        const loaded = await loadConfig({ env: { GATEWAY_CONFIG: 'x.yaml', ...env }, root, cwd });
        return { accepted: true, shown: JSON.stringify(hideSecrets(loaded)) };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { accepted: false, shown: `${error.stack} ${JSON.stringify(error)}` };
      }
    }

    // Each of them is valid for some settings and invalid for others.
    const planted = ['planted', '31415926535897', 'https://planted.example', 'PLANTED'];

    /** Every setting in each run, with a random value and form. A failure names both. */
    const sample = <F>(forms: readonly F[]): { path: string; value: string; form: F }[] =>
      settings.map(([path]) => {
        const drawn = fc.sample(fc.tuple(fc.constantFrom(...planted), fc.constantFrom(...forms)), 1)[0]!;
        return { path, value: drawn[0], form: drawn[1] };
      });

    it('never shows a value that comes from a variable', async () => {
      for (const { path, value, form } of sample([
        '${env:SECRET}',
        ['a', '${env:SECRET}'],
        '${env:SECRET}${env:NONE}',
      ])) {
        const { shown } = await show(setting(path, form), { SECRET: value });
        expect(shown, `${path}: ${JSON.stringify(form)}`).to.not.include(value);
      }
    });

    it('repeats no value in a problem', async () => {
      const forms = [(value: string) => value, (value: string) => [value], Number];
      for (const { path, value, form } of sample(forms)) {
        const written = setting(path, form(value));
        const { accepted, shown } = await show(written, {});
        if (!accepted) expect(shown, written).to.not.include(value);
      }
    });

    it('repeats nothing from a file that is not YAML', async () => {
      for (const text of [
        'a: planted: b',
        'a: "planted',
        '- planted\na: b',
        'a: *planted',
        'a: !planted b',
        '? {planted: 1}',
      ]) {
        const { accepted, shown } = await show(text, {});
        expect(accepted, text).to.equal(false);
        expect(shown).to.not.include('planted');
      }
    });

    it('repeats no environment variable', async () => {
      for (const name of Object.keys(variables)) {
        const { shown } = await show('', { [name]: 'pla nted?', GATEWAY_CONFIG: 'x.yaml,y.yaml' });
        expect(shown).to.not.include('pla nted');
      }
    });
  });
});
