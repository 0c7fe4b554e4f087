/** What makes a folder a package: for one of this repository, and for one anywhere else. */
import type { Names } from './names.ts';

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

/** Where the new package stands, seen from the gateway. */
export type Home =
  | { readonly inside: true }
  /** `contract` is the folder of the contract; `tools` the versions of what builds and tests. */
  | { readonly inside: false; readonly contract: string; readonly tools: Readonly<Record<string, string>> };

export function packageName({ name }: Names): string {
  return `@gateway/${name}`;
}

export function packageJson(names: Names, home: Home): string {
  return `${JSON.stringify(
    {
      name: packageName(names),
      version: '1.0.0',
      description: `${names.title} for the payment gateway: the adapter and its sandbox.`,
      ...(home.inside ? { license: 'MIT' } : { private: true }),
      type: 'module',
      engines: { node: '>=20.19' },
      exports: { '.': './dist/index.js', './sandbox': './dist/sandbox.js' },
      files: ['dist', '!dist/**/test', '!dist/**/*.tsbuildinfo', 'fixtures', 'README.md'],
      ...(home.inside ? {} : { scripts: { build: 'tsc -p .', test: 'npm run build && mocha dist/test/*.test.js' } }),
      peerDependencies: { '@gateway/contract': '^1.0.0' },
      ...(home.inside ? {} : { devDependencies: { '@gateway/contract': `file:${home.contract}`, ...home.tools } }),
    },
    null,
    2,
  )}\n`;
}

/** Spelled as the formatter spells it. */
export function tsconfigJson({ inside }: Home): string {
  if (!inside) {
    const config = { compilerOptions, include: ['.'], exclude: ['dist', 'node_modules'] };
    const onOneLine = (list: string): string => list.replace(/\s*\n\s*/g, '').replaceAll(',', ', ');
    return `${JSON.stringify(config, null, 2).replace(/\[[^\]]*\]/g, onOneLine)}\n`;
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
