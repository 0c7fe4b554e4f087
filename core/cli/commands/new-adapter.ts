import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { v, type InputKind } from '@paywright/contract';
import { listAdapterPackages } from '../../engine/providers/load/adapter-packages.ts';
import { defineCommand, readWord, UsageError, type Shell } from '../command.ts';
import { json } from '../json.ts';
import { toNames, type Names } from '../scaffold/names.ts';
import { packageName, type Home } from '../scaffold/package-files.ts';
import { packContract } from '../scaffold/pack-contract.ts';
import { sampleOptions } from '../scaffold/vectors.ts';
import { writeAdapter } from '../scaffold/write-adapter.ts';

const kinds: readonly InputKind[] = ['card', 'billing', 'token', 'upi'];
/** The specification's provider codes; 21 to 25 are reserved. */
const codes = [...range(11, 18), ...range(26, 59)];
const codeRule = '11 to 18 or 26 to 59';
/** Packages of ours in the same scope. */
const taken = ['contract', 'cli'];
/** What a package elsewhere builds and tests with. */
const tools = ['@types/chai', '@types/mocha', '@types/node', 'chai', 'mocha', 'typescript'];

export const newAdapter = defineCommand({
  options: {
    code: {
      type: 'string',
      value: '<n>',
      help: `${codeRule}; default: the first free one, with --into the last`,
    },
    input: { type: 'string', value: '<kind>', help: `${kinds.join(', ')}; default: card` },
    into: { type: 'string', value: '<folder>', help: 'make its folder in this one instead of in adapters/' },
    scope: {
      type: 'string',
      value: '<@scope>',
      help: 'with --into: the npm scope of its package; default: @paywright',
    },
    json,
  },
  notes: ['adapters/README.md leads through the guide.'],
  async run({ values, operands, shell }) {
    const names = readName(operands[0] ?? '');
    const kind = readWord(values.input, kinds, '--input') ?? 'card';
    const isInside = values.into === undefined;
    const folder = join(isInside ? join(shell.root, 'adapters') : resolve(values.into), names.name);
    if (existsSync(folder)) throw new UsageError(`${shown(folder)} exists: choose another name, or remove it first.`);
    const scope = readScope(values.scope, isInside);
    if (scope === '@paywright' && taken.includes(names.name)) {
      throw new UsageError(`@paywright/${names.name} is a package of the gateway's own: choose another.`);
    }
    const code = await readCode(values.code, isInside, shell);
    const home = isInside ? { inside: true as const } : await homeOutside(scope, shell.root);

    const files = await writeAdapter({ folder, home, root: shell.root, names, code, kind });
    if (!home.inside) await packContract(join(shell.root, 'core/contract'), join(folder, 'vendor'));
    const linked = isInside && (await link(names, folder, shell.root));
    if (values.json) {
      shell.print(JSON.stringify({ name: names.name, folder, code, input: kind, files, isLinked: linked }));
      return 0;
    }
    shell.print(`${shown(folder)}: ${files.length} files, provider code ${code}, input ${kind}`);
    if (values.code === undefined) shell.print(`Another code: \`code\` in index.ts, a free one of ${codeRule}.`);
    for (const line of nextSteps(names, folder, { home, linked })) shell.print(line);
    return 0;
  },
});

function readName(name: string): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw new UsageError('The name must be 1 to 40 of a–z, 0–9 and single dashes, beginning with a letter: my-bank.');
  }
  return toNames(name);
}

function readScope(given: string | undefined, isInside: boolean): string {
  if (given === undefined) return '@paywright';
  if (isInside) throw new UsageError('--scope goes with --into: packages of the repository are @paywright.');
  if (!/^@[a-z0-9][a-z0-9-]*$/.test(given)) throw new UsageError('--scope must be an npm scope: @ourshop.');
  return given;
}

/** A company's own adapters count from the end, out of the way of the repository's. */
async function readCode(given: string | undefined, isInside: boolean, { root, stderr }: Shell): Promise<number> {
  const owners = new Map<number, string>();
  for (const { folder, adapter } of await listAdapterPackages(root)) {
    if (adapter) owners.set(adapter.manifest.code, folder);
    else stderr(`adapters/${folder} is not built, so its provider code is not known here: npm run build`);
  }
  if (given === undefined) {
    const isFree = (code: number): boolean => !owners.has(code);
    const free = isInside ? codes.find(isFree) : codes.findLast(isFree);
    if (free === undefined) throw new Error('every provider code is taken');
    return free;
  }
  const code = codes.find((one) => String(one) === given);
  if (code === undefined) throw new UsageError(`--code must be ${codeRule}.`);
  const owner = owners.get(code);
  if (owner !== undefined) throw new UsageError(`Provider code ${code} belongs to ${owner}: choose another.`);
  return code;
}

const Package = v.pipe(v.string(), v.parseJson(), v.object({ devDependencies: v.record(v.string(), v.string()) }));

async function homeOutside(scope: string, root: string): Promise<Home> {
  const { devDependencies } = v.parse(Package, await readFile(join(root, 'package.json'), 'utf8'));
  const versions = tools.flatMap((name) => (devDependencies[name] ? [[name, devDependencies[name]] as const] : []));
  return {
    inside: false,
    scope,
    tools: Object.fromEntries(versions),
  };
}

/** As npm links a workspace; false where that is left to npm. */
async function link(names: Names, folder: string, root: string): Promise<boolean> {
  const scope = join(root, 'node_modules/@paywright');
  const place = join(scope, names.name);
  if (!existsSync(scope) || existsSync(place)) return false;
  await symlink(relative(scope, folder), place, 'dir');
  return true;
}

function nextSteps(
  names: Names,
  folder: string,
  { home, linked }: { readonly home: Home; readonly linked: boolean },
): string[] {
  const { name } = names;
  const isInside = home.inside;
  const test = isInside
    ? [...(linked ? [] : ['  npm install']), `  npm test -w ${packageName(names, home)}`]
    : [`  cd ${shown(folder)} && npm install && npm test`];
  const listed = [`  package: '${packageName(names, home)}'`, '  state: off'];
  const options = Object.entries(sampleOptions(name)).map(([key, value]) => `    ${key}: ${yaml(value)}`);
  const running = ['  state: on', '  sandbox: { run: true }', '  options:', ...options];
  const block = (lines: readonly string[]): string[] => [`${name}:`, ...lines].map((line) => `    ${line}`);
  return [
    '',
    'Its protocol is made up. Each red test names a decision that is yours, and what to do:',
    ...test,
    '',
    'Until the last is made no gateway loads it. Then list it:',
    ...(isInside
      ? [
          '  in config/default.yaml, under adapters',
          ...block(listed),
          '  in config/development.yaml, where its sandbox plays the provider',
          ...block(running),
          '  and let `npm install` note it in package-lock.json.',
        ]
      : [
          '  in a YAML file beside the folder that it is installed in, under adapters; GATEWAY_CONFIG names the file',
          ...block([...listed.slice(0, 1), ...running]),
        ]),
  ];
}

function yaml(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

function shown(folder: string): string {
  return relative(process.cwd(), folder) || '.';
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
