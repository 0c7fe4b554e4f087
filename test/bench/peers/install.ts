/** Installs the peers with pinned versions into a folder outside the repository. A later run finds them there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const limit = { maxBuffer: 64 * 2 ** 20 };

export const vendureVersion = '3.5.6';
export const killBillVersion = '0.22.26';
const jettyVersion = '9.4.57.v20241219';
const paymentPluginVersion = '7.0.5';

/** Runs the work once per content of the files, and again if it failed. */
async function installOnce(
  folder: string,
  files: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const stamp = join(folder, 'installed.json');
  const text = JSON.stringify(files);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === text) return;
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await work();
  await writeFile(stamp, text);
}

export async function installVendure(cache: string, report: (line: string) => void): Promise<string> {
  const folder = join(cache, 'vendure');
  const dependencies = { '@vendure/core': vendureVersion, pg: '8.16.3' };
  const manifest = JSON.stringify({ name: 'peers', private: true, dependencies });
  await installOnce(folder, { 'package.json': manifest }, async () => {
    report(`installing Vendure ${vendureVersion} in ${folder}`);
    // Without scripts: the only package that has one is replaced in vendure-server.cjs.
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { ...limit, cwd: folder });
  });
  return folder;
}

export interface KillBillFiles {
  readonly folder: string;
  readonly war: string;
  readonly jetty: string;
  /** The payment plugin of the Kill Bill project for tests. */
  readonly plugin: string;
}

export async function installKillBill(cache: string, report: (line: string) => void): Promise<KillBillFiles> {
  const folder = join(cache, 'kill-bill');
  const jars = join(folder, 'jars');
  await installOnce(folder, { 'pom.xml': pom, [parentPath]: parentPom }, async () => {
    report(`installing Kill Bill ${killBillVersion} in ${folder}`);
    await requireProgram('mvn', 'maven');
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
    await run('mvn', ['-B', '-q', goal, `-DoutputDirectory=${jars}`], { ...limit, cwd: folder });
  });
  return {
    folder,
    war: join(jars, `killbill-profiles-killbill-${killBillVersion}.war`),
    jetty: join(jars, `jetty-runner-${jettyVersion}.jar`),
    plugin: join(jars, `payment-test-plugin-${paymentPluginVersion}.jar`),
  };
}

/** Puts the payment plugin where Kill Bill looks for plugins. */
export async function layOutPlugin({ plugin }: KillBillFiles, bundles: string): Promise<void> {
  const folder = join(bundles, 'plugins', 'java', 'killbill-payment-test', paymentPluginVersion);
  await mkdir(folder, { recursive: true });
  await mkdir(join(bundles, 'platform'), { recursive: true });
  await copyFile(plugin, join(folder, 'plugin.jar'));
}

export async function requireProgram(name: string, debianPackage: string): Promise<void> {
  await run(name, ['-version']).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') return;
    throw new Error(`"${name}" was not found. On Debian: apt-get install ${debianPackage}`);
  });
}

const dependency = (group: string, artifact: string, version: string, type: string): string => `
    <dependency>
      <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version><type>${type}</type>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>`;

/** A registry may lack the parent of Kill Bill's war, which has nothing that is needed here. */
const parentPath = `parents/org/kill-bill/billing/killbill-profiles/${killBillVersion}/killbill-profiles-${killBillVersion}.pom`;

const project = (group: string, artifact: string, version: string, rest = ''): string => `
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version><packaging>pom</packaging>
${rest}</project>
`;

const parentPom = project('org.kill-bill.billing', 'killbill-profiles', killBillVersion);

const pom = project(
  'bench',
  'peers',
  '1',
  `  <repositories><repository><id>parents</id><url>file:\${project.basedir}/parents</url></repository></repositories>
  <dependencies>${[
    dependency('org.kill-bill.billing', 'killbill-profiles-killbill', killBillVersion, 'war'),
    dependency('org.kill-bill.billing.plugin.java', 'payment-test-plugin', paymentPluginVersion, 'jar'),
    dependency('org.eclipse.jetty', 'jetty-runner', jettyVersion, 'jar'),
  ].join('')}
  </dependencies>
`,
);
