/**
 * How a client is generated, checked and run in each language. Generators and libraries have fixed versions, and are
 * fetched when they are first needed.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/start-gateway.ts';
import { run } from './run-program.ts';

const versions = {
  openapiGenerator: '7.25.0',
  openapiPythonClient: '0.29.1',
  pythonStandardWebhooks: '1.1.0',
  mypy: '1.18.2',
  oapiCodegen: '2.8.2',
  oapiRuntime: '1.9.0',
  goStandardWebhooks: '0.0.1',
  googleUuid: '1.6.0',
  openapiTypescript: '7.13.0',
  openapiFetch: '0.17.0',
  typescript: '5.9.3',
  nodeTypes: '20.19.43',
  standardWebhooks: '1.1.1',
} as const;

export const cache = join(tmpdir(), 'paywright-clients');

type Program = readonly [command: string, ...args: string[]];

interface Tool {
  readonly command: Program;
  /** How to install the tool. */
  readonly install: string;
}

export interface Language {
  readonly name: string;
  readonly folder: string;
  readonly tools: readonly Tool[];
  /** Generates and compiles everything in an empty folder that has the OpenAPI document as `openapi.json`. */
  readonly build: (folder: string) => Promise<void>;
  readonly shop: (folder: string) => Program;
  readonly receiver: (folder: string, port: number) => Program;
}

const java: Tool = { command: ['java', '-version'], install: 'apt-get install openjdk-17-jdk-headless' };
const maven: Tool = { command: ['mvn', '-version'], install: 'apt-get install maven' };
const guzzle = '/usr/share/php/GuzzleHttp/autoload.php';

/** The sources of the examples are copied to the generated client. */
const copySources = async (language: string, to: string): Promise<void> =>
  cp(join(root, 'test/clients', language), to, { recursive: true });

/** Runs `make` unless an earlier run completed it. */
async function once(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(cache, name);
  const done = `${path}.done`;
  if (existsSync(done)) return path;
  await mkdir(cache, { recursive: true });
  await make(path);
  await writeFile(done, '');
  return path;
}

/** Generates a client with OpenAPI Generator, a Java program that Maven fetches. */
async function generateByJava(folder: string, generator: string, options: readonly string[]): Promise<void> {
  const version = versions.openapiGenerator;
  const tools = await once(`openapi-generator-${version}`, async (path) => {
    const artifact = `org.openapitools:openapi-generator-cli:${version}:jar`;
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
    await run(['mvn', '-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${path}`], { cwd: cache });
  });
  const jar = join(tools, `openapi-generator-cli-${version}.jar`);
  await run(['java', '-jar', jar, 'generate', '-i', 'openapi.json', '-g', generator, '-o', 'client', ...options], {
    cwd: folder,
  });
}

export const languages: readonly Language[] = [
  {
    name: 'Python',
    folder: 'python',
    tools: [{ command: ['python3', '-m', 'venv', '-h'], install: 'apt-get install python3 python3-venv' }],
    async build(folder) {
      const { openapiPythonClient, pythonStandardWebhooks, mypy } = versions;
      const python = await makePython([
        `openapi-python-client==${openapiPythonClient}`,
        `standardwebhooks==${pythonStandardWebhooks}`,
        `mypy==${mypy}`,
      ]);
      const generate = ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'paywright'];
      await run([join(python, 'bin/openapi-python-client'), ...generate], { cwd: folder });
      await copySources('python', folder);
      const check = ['--follow-untyped-imports', '--strict-optional', 'shop.py', 'receiver.py'];
      await run([join(python, 'bin/mypy'), ...check], { cwd: folder });
    },
    shop: () => [join(cache, 'python', 'bin/python'), 'shop.py'],
    receiver: () => [join(cache, 'python', 'bin/python'), 'receiver.py'],
  },
  {
    name: 'Go',
    folder: 'go',
    tools: [{ command: ['go', 'version'], install: 'apt-get install golang-go, or https://go.dev/dl' }],
    async build(folder) {
      await run(['go', 'mod', 'init', 'shop'], { cwd: folder });
      await run(
        [
          'go',
          'get',
          `github.com/oapi-codegen/runtime@v${versions.oapiRuntime}`,
          `github.com/standard-webhooks/standard-webhooks/libraries@v${versions.goStandardWebhooks}`,
          `github.com/google/uuid@v${versions.googleUuid}`,
        ],
        { cwd: folder },
      );
      await mkdir(join(folder, 'paywright'));
      const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`;
      await copySources('go', folder);
      await run(['go', 'run', generator, '-config', 'oapi-codegen.yaml', 'openapi.json'], { cwd: folder });
      for (const program of ['shop', 'receiver']) {
        await run(['go', 'vet', `${program}.go`], { cwd: folder });
        await run(['go', 'build', '-o', `${program}.bin`, `${program}.go`], { cwd: folder });
      }
    },
    shop: (folder) => [join(folder, 'shop.bin')],
    receiver: (folder) => [join(folder, 'receiver.bin')],
  },
  {
    name: 'Java',
    folder: 'java',
    tools: [java, maven],
    async build(folder) {
      const packages = ['invokerPackage=com.example.paywright', 'apiPackage=com.example.paywright.api'];
      const properties = [...packages, 'modelPackage=com.example.paywright.model', 'openApiNullable=false'].join(',');
      const noTests = ['--global-property', 'apis,models,supportingFiles,apiTests=false,modelTests=false'];
      await generateByJava(folder, 'java', ['--library', 'native', '--additional-properties', properties, ...noTests]);
      await copySources('java', join(folder, 'client/src/main/java'));
      const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
      await run(['mvn', '-q', '-B', 'compile', copy, '-DoutputDirectory=target/libraries'], {
        cwd: join(folder, 'client'),
      });
    },
    shop: () => ['java', '-cp', 'client/target/classes:client/target/libraries/*', 'Shop'],
    receiver: () => ['java', '-cp', 'client/target/classes:client/target/libraries/*', 'Receiver'],
  },
  {
    name: 'PHP',
    folder: 'php',
    tools: [
      java,
      maven,
      {
        command: [
          'php',
          '-r',
          `extension_loaded('curl') && extension_loaded('mbstring') && include '${guzzle}' or exit(1);`,
        ],
        install: 'apt-get install php-cli php-curl php-mbstring php-guzzlehttp-guzzle',
      },
    ],
    async build(folder) {
      const noTests = ['--global-property', 'apis,models,supportingFiles,apiTests=false,modelTests=false'];
      await generateByJava(folder, 'php', ['--additional-properties', 'invokerPackage=Paywright', ...noTests]);
      await copySources('php', folder);
      await writeFile(join(folder, 'autoload.php'), phpAutoload);
      for (const program of ['shop.php', 'receiver.php']) await run(['php', '-l', program], { cwd: folder });
    },
    shop: () => ['php', 'shop.php'],
    receiver: (_, port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
  {
    name: 'TypeScript',
    folder: 'typescript',
    tools: [{ command: ['npm', '--version'], install: 'apt-get install npm' }],
    async build(folder) {
      const { openapiTypescript, openapiFetch, typescript, nodeTypes, standardWebhooks } = versions;
      await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
      const packages = [
        `openapi-typescript@${openapiTypescript}`,
        `openapi-fetch@${openapiFetch}`,
        `typescript@${typescript}`,
        `@types/node@${nodeTypes}`,
        `standardwebhooks@${standardWebhooks}`,
      ];
      await run(['npm', 'install', '--silent', '--no-audit', '--no-fund', ...packages], { cwd: folder });
      const generate = ['openapi-typescript', 'openapi.json', '--enum', '-o', 'paywright.ts'];
      await run(['npx', '--no-install', ...generate], { cwd: folder });
      await copySources('typescript', folder);
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--target', 'es2022'];
      const sources = ['shop.ts', 'receiver.ts'];
      await run(['npx', '--no-install', 'tsc', ...flags, '--module', 'nodenext', ...sources], { cwd: folder });
    },
    shop: () => [process.execPath, 'shop.js'],
    receiver: () => [process.execPath, 'receiver.js'],
  },
];

/** `composer install` makes such a file. This one loads the Guzzle of the operating system. */
const phpAutoload = `<?php
require '${guzzle}';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/client/lib/' . strtr(substr($class, strlen('Paywright\\\\')), '\\\\', '/') . '.php';
    if (str_starts_with($class, 'Paywright\\\\') && is_file($file)) {
        require $file;
    }
});
`;

/** A virtual environment with these packages. */
async function makePython(packages: readonly string[]): Promise<string> {
  return once('python', async (path) => {
    await run(['python3', '-m', 'venv', path], { cwd: cache });
    await run([join(path, 'bin/python'), '-m', 'pip', 'install', '--quiet', ...packages], { cwd: cache });
  });
}
