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
/** Provider codes; 21 to 25 are reserved. */
const codes = [...range(11, 18), ...range(26, 59)];
const codeRule = '11 to 18 or 26 to 59';
/** Our own packages in the same scope. */
const taken = ['contract', 'cli'];
/** The development dependencies of a package outside the repository. */
const tools = ['@types/chai', '@types/mocha', '@types/node', 'chai', 'mocha', 'typescript'];

export const newAdapter = defineCommand({
  options: {
    code: {
      type: 'string',
      value: '<n>',
      help: `${codeRule} (default: the first free code, with --into the last)`,
    },
    title: {
      type: 'string',
      value: '<text>',
      help: 'the provider\'s name as people read it, such as "WeChat Pay" (default: made from the name)',
    },
    input: { type: 'string', value: '<kind>', help: `${kinds.join(', ')} (default: card)` },
    into: {
      type: 'string',
      value: '<folder>',
      help: 'create its folder in this folder (default: adapters/ of a checkout, otherwise the current folder)',
    },
    scope: {
      type: 'string',
      value: '<@scope>',
      help: 'with --into: the npm scope of the package (default: @paywright)',
    },
    json,
  },
  notes: ['See adapters/README.md for the guide.'],
  async run({ values, operands, shell }) {
    const names = readNames(operands[0] ?? '', values.title);
    const kind = readWord(values.input, kinds, '--input') ?? 'card';
    const repository = join(shell.root, 'adapters');
    const isInside = values.into === undefined && existsSync(repository);
    const folder = join(isInside ? repository : resolve(values.into ?? '.'), names.name);
    if (existsSync(folder))
      throw new UsageError(`${shown(folder)} already exists: choose another name, or remove the folder first.`);
    const scope = readScope(values.scope, isInside);
    if (scope === '@paywright' && taken.includes(names.name)) {
      throw new UsageError(`@paywright/${names.name} is a package of the gateway: choose another name.`);
    }
    const code = await readCode(values.code, isInside, shell);
    const home = isInside ? { inside: true as const } : await homeOutside(scope, shell.root);

    const files = await writeAdapter({ folder, home, root: shell.root, names, code, kind });
    if (!home.inside) await packContract(join(folder, 'vendor'));
    const linked = isInside && (await link(names, folder, shell.root));
    if (values.json) {
      shell.print(JSON.stringify({ name: names.name, folder, code, input: kind, files, isLinked: linked }));
      return 0;
    }
    shell.print(`${shown(folder)}: ${files.length} files, provider code ${code}, input ${kind}`);
    if (values.code === undefined)
      shell.print(`To use another code, change \`code\` in index.ts to a free code of ${codeRule}.`);
    for (const line of nextSteps(names, folder, { home, linked })) shell.print(line);
    return 0;
  },
});

function readNames(name: string, title: string | undefined): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw new UsageError(
      'The name must have 1 to 40 characters a–z, 0–9 and single dashes, and start with a letter, for example my-bank.',
    );
  }
  // The title is written into code, comments and tables, so it must not end any of them.
  if (title !== undefined && !/^[\p{L}\p{N}][\p{L}\p{N} .,&+()-]{0,39}$/u.test(title)) {
    throw new UsageError(
      '--title must have 1 to 40 letters, digits, spaces and characters of . , & + ( ) -, for example "WeChat Pay".',
    );
  }
  return toNames(name, title);
}

function readScope(given: string | undefined, isInside: boolean): string {
  if (given === undefined) return '@paywright';
  if (isInside) throw new UsageError('--scope requires --into: packages of the repository have the scope @paywright.');
  if (!/^@[a-z0-9][a-z0-9-]*$/.test(given)) throw new UsageError('--scope must be an npm scope, for example @ourshop.');
  return given;
}

/** Adapters outside the repository get codes from the end, so that they do not collide with the repository's. */
async function readCode(given: string | undefined, isInside: boolean, { root, stderr }: Shell): Promise<number> {
  const owners = new Map<number, string>();
  for (const { folder, adapter } of await listAdapterPackages(root)) {
    if (adapter) owners.set(adapter.manifest.code, folder);
    else stderr(`adapters/${folder} is not built, so its provider code is unknown: run npm run build`);
  }
  if (given === undefined) {
    const isFree = (code: number): boolean => !owners.has(code);
    const free = isInside ? codes.find(isFree) : codes.findLast(isFree);
    if (free === undefined) throw new Error('every provider code is in use');
    return free;
  }
  const code = codes.find((one) => String(one) === given);
  if (code === undefined) throw new UsageError(`--code must be ${codeRule}.`);
  const owner = owners.get(code);
  if (owner !== undefined) throw new UsageError(`Provider code ${code} is used by ${owner}: choose another code.`);
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

/** Links the package as npm links a workspace. False if this is left to npm. */
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
    'Its protocol is an invented example. Each failing test names a decision that you must make, and what to do:',
    ...test,
    '',
    'The gateway loads the adapter only after all decisions are made. Then list it:',
    ...(isInside
      ? [
          '  in config/default.yaml, under adapters',
          ...block(listed),
          '  in config/development.yaml, where its sandbox plays the provider',
          ...block(running),
          '  and run `npm install` to add it to package-lock.json.',
        ]
      : [
          '  in a YAML file next to the folder where it is installed, under adapters; GATEWAY_CONFIG must name the file',
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
