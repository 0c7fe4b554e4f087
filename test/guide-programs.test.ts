/** Runs the programs of the merchant's guide, as they are printed, against a gateway. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';

interface Runner {
  readonly fence: string;
  /** Exits with 0 if the language is installed. */
  readonly probe: readonly [command: string, ...args: string[]];
  readonly file: string;
  readonly command: (path: string) => readonly [command: string, ...args: string[]];
  /** In the repository, where the client is found. */
  readonly isInRepository?: true;
}

const runners: readonly Runner[] = [
  { fence: 'sh', probe: ['bash', '--version'], file: 'run.sh', command: (path) => ['bash', '-e', path] },
  {
    fence: 'js',
    probe: [process.execPath, '--version'],
    file: 'run.mjs',
    command: (path) => [process.execPath, path],
    isInRepository: true,
  },
  {
    fence: 'python',
    probe: ['python3', '-c', 'import requests'],
    file: 'run.py',
    command: (path) => ['python3', path],
  },
  { fence: 'php', probe: ['php', '--version'], file: 'run.php', command: (path) => ['php', path] },
  { fence: 'go', probe: ['go', 'version'], file: 'run.go', command: (path) => ['go', 'run', path] },
  { fence: 'java', probe: ['java', '--version'], file: 'CreateLink.java', command: (path) => ['java', path] },
];

/** The blocks of a language, in order. Later blocks of a page continue the first one. */
function programOf(page: string, fence: string, isPart: (code: string) => boolean = () => true): string {
  const text = readFileSync(join(root, 'core/docs/guide', `${page}.md`), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${fence}(?: [\\w.]+)?\\n([^]*?)\n\`\`\``, 'g'))]
    .map(([, code = '']) => code)
    .filter(isPart)
    .join('\n');
}

describe("the programs of the merchant's guide", () => {
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a', 'provider-d'] });
    folder = mkdtempSync(join(tmpdir(), 'guide-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await gateway.close();
  });

  /** Runs the program in a shell's environment, and returns what it prints. */
  async function run({ file, command, isInRepository }: Runner, code: string): Promise<string> {
    const path = join(isInRepository ? join(root, '.build') : folder, file);
    writeFileSync(path, code.replaceAll('http://127.0.0.1:8080', gateway.url));
    const [program, ...args] = command(path);
    const env = { ...process.env, KEY: gateway.key };
    const child = spawn(program, args, { cwd: folder, env });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const exitCode = await new Promise((resolve) => child.on('close', resolve));
    if (isInRepository) rmSync(path);
    expect(exitCode, `${output}\n${errors}`).to.equal(0);
    return output;
  }

  const isCall = (code: string): boolean => code.startsWith('curl');
  const linkPattern = (): RegExp => new RegExp(`${gateway.url}/pay/\\d+\\?k=`);

  it('create a link and pay by card with curl', async function () {
    this.timeout(60_000);
    const [runner] = runners;
    const created = await run(runner!, programOf('README', 'sh', isCall));
    expect(created).to.match(linkPattern());
    const [, id = ''] = /"id":(\d+)/.exec(created) ?? [];
    const quickstart = programOf('quickstart', 'sh', isCall).replaceAll(
      'payment-requests/10042',
      `payment-requests/${id}`,
    );
    const output = await run(runner!, quickstart.replace(/, "notifyUrl": "[^"]*"/, ''));
    expect(output).to.match(linkPattern()).and.include(`"id":${id}`);
    expect(output.match(/HTTP\/1\.1 200/g)).to.have.length(2);
    expect(output).to.match(/\r\n\r\nOK$/);
  });

  for (const fence of ['js', 'python']) {
    it(`create a link, read it and list all in the language ${fence}`, async function () {
      this.timeout(60_000);
      const runner = runners.find((one) => one.fence === fence)!;
      const [program, ...args] = runner.probe;
      if (spawnSync(program, args).status !== 0) this.skip();
      const output = await run(runner, `${programOf('quickstart', fence)}\n${programOf('lists-and-reports', fence)}`);
      expect(output).to.match(linkPattern());
      // The status of the payment request that was created.
      expect(output).to.match(/^0$/m);
    });
  }

  for (const runner of runners.filter(({ fence }) => fence !== 'sh' && fence !== 'js')) {
    it(`create a link in the language ${runner.fence} of the client libraries`, async function () {
      this.timeout(300_000);
      const [program, ...args] = runner.probe;
      if (spawnSync(program, args).status !== 0) this.skip();
      const output = await run(runner, programOf('client-libraries', runner.fence));
      expect(output).to.match(linkPattern());
    });
  }
});
