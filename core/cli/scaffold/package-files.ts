/** The files that make a folder a package, inside or outside this repository. */
import { contractVersion } from '@paywright/contract/core';
import type { Names } from './names.ts';
import { contractTarball } from './pack-contract.ts';

const [major, minor] = contractVersion.split('.');
/** This contract, or a later one with the same major version. */
const contractRange = `^${major}.${minor}.0`;

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node', 'mocha'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
  declaration: true,
  sourceMap: true,
  rootDir: '.',
  outDir: 'dist',
};

/** The location of the new package in relation to the gateway. */
export type Home =
  | { readonly inside: true }
  /** `tools`: the versions of the build and test tools. */
  | { readonly inside: false; readonly scope: string; readonly tools: Readonly<Record<string, string>> };

export function packageName({ name }: Names, home: Home): string {
  return `${home.inside ? '@paywright' : home.scope}/${name}`;
}

export function packageJson(names: Names, home: Home): string {
  return `${JSON.stringify(
    {
      name: packageName(names, home),
      version: '1.0.0',
      description: `${names.title} for the payment gateway: the adapter and its sandbox.`,
      ...(home.inside ? { license: 'MIT' } : { private: true }),
      type: 'module',
      engines: { node: '>=20.19' },
      scripts: home.inside
        ? {
            build: 'node ../../.ci/remove-stale-output.mjs && tsc -b',
            test: 'npm run build && mocha --no-config --timeout 20000 --forbid-only "dist/**/*.test.js"',
            mutate: 'npm run build && mutate-adapter',
          }
        : {
            build: 'tsc -p .',
            test: 'npm run build && mocha "dist/test/**/*.test.js"',
            mutate: 'npm run build && mutate-adapter',
            // A package contains exactly the build of its sources: never without `dist`, and never with files of an
            // older build.
            prepack: `node -e "fs.rmSync('dist', { recursive: true, force: true })" && npm run build`,
          },
      sideEffects: false,
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './sandbox': { types: './dist/sandbox/index.d.ts', default: './dist/sandbox/index.js' },
      },
      files: ['dist', '!dist/**/test', '!dist/**/*.tsbuildinfo', 'fixtures', 'README.md'],
      ...(home.inside ? { publishConfig: { access: 'public' } } : {}),
      ...(home.inside
        ? { peerDependencies: { '@paywright/contract': contractRange } }
        : {
            // The contract is inside the package: no registry is needed, here or where the package is installed.
            dependencies: { '@paywright/contract': `file:vendor/${contractTarball}` },
            bundleDependencies: ['@paywright/contract'],
            devDependencies: home.tools,
          }),
    },
    null,
    2,
  )}\n`;
}

/** The contract's tarball in `vendor` belongs to the sources. */
export const gitignore = 'node_modules/\ndist/\n/*.tgz\n.mutant-*/\n';

/** Formatted like Prettier. */
export function tsconfigJson({ inside }: Home): string {
  if (!inside) {
    const config = { compilerOptions, include: ['.'], exclude: ['dist', 'node_modules'] };
    const onOneLine = (list: string): string => list.replaceAll(/\s+/g, '').replaceAll(',', ', ');
    return `${JSON.stringify(config, null, 2).replace(/\[[^[\]]*\]/g, onOneLine)}\n`;
  }
  return `{
  "extends": "../../tsconfig.json",
  "compilerOptions": { "rootDir": ".", "outDir": "dist" },
  "include": ["."],
  "exclude": ["dist"],
  "references": [{ "path": "../../core/contract" }]
}
`;
}
