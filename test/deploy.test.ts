/** The files in `config/deploy` agree with the settings, routes and files that they name. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parseAllDocuments, parse } from 'yaml';
import { loadConfig, variables, type LoadedConfig } from '../config/load-config.ts';
import { metricList } from '../core/base/metrics/index.ts';
import { root } from './support/start-gateway.ts';

const runFile = promisify(execFile);
const folder = join(root, 'config/deploy');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
// A test reads the members that it needs, and fails when one is missing.
// oxlint-disable-next-line typescript/no-explicit-any
type Yaml = any;
const readYaml = (path: string): Yaml => parse(read(path), { merge: true });

const manifests: Yaml[] = ['deployment', 'service', 'availability', 'network-policy'].flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}.yaml`)).map((document) => document.toJS()),
);
const manifestOf = (kind: string): Yaml => manifests.find((one) => one.kind === kind);
const pod = manifestOf('Deployment').spec.template.spec;
const [container] = pod.containers;
/** Pods of the API, and of the workers if they run separately. */
const ofAllPods = [{ key: 'app', operator: 'In', values: ['gateway', 'gateway-worker'] }];

/** Parses `NAME=value` lines. */
function readEnv(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value ?? '']));
}

describe('the deployment', () => {
  let config: LoadedConfig['config'];
  let secrets: string;
  let made: Record<string, string>;

  before(async () => {
    secrets = await mkdtemp(join(tmpdir(), 'gateway-deploy-'));
    await cp(join(folder, 'compose/make-secrets.sh'), join(secrets, 'make-secrets.sh'));
    await runFile('sh', ['make-secrets.sh'], { cwd: secrets });
    made = readEnv(await readFile(join(secrets, 'secrets/gateway.env'), 'utf8'));
    const { environment } = readYaml('compose.yaml').services.gateway1;
    const filled = Object.fromEntries(
      Object.entries(made).map(([name, value]) => [
        name,
        value || (name.endsWith('URL') ? 'https://a.example' : 'value'),
      ]),
    );
    const env = { GATEWAY_ENV: 'production', ...filled, ...environment, PUBLIC_URL: 'https://pay.example' };
    ({ config } = await loadConfig({ env, root, cwd: root }));
  });
  after(() => rm(secrets, { recursive: true, force: true }));

  it('has settings that production accepts, with the variables that its secrets file lists', () => {
    expect(config.server).to.include({ trustedProxies: 1, publicUrl: 'https://pay.example' });
    expect(config.log.file).to.equal(false);
    expect(config.database.allowInsecure).to.equal(false);
  });

  it('creates its secrets once, readable only by their owner', async () => {
    const names = await readdir(join(secrets, 'secrets'));
    const readSecrets = async () => Promise.all(names.map(async (name) => readFile(join(secrets, 'secrets', name))));
    const before = await readSecrets();
    await runFile('sh', ['make-secrets.sh'], { cwd: secrets });
    expect(await readSecrets()).to.deep.equal(before);
    expect((await stat(join(secrets, 'secrets'))).mode & 0o077).to.equal(0);
    for (const { file } of Object.values<Yaml>(readYaml('compose.yaml').secrets))
      expect(names).to.include(file.replace('compose/secrets/', ''));
  });

  it('sets only variables that the service reads', () => {
    const own = ['NODE_ENV', 'GATEWAY_ENV', 'GATEWAY_CONFIG', ...Object.keys(variables)];
    const inProduction = [...readFileSync(join(root, 'config/production.yaml'), 'utf8').matchAll(/\$\{env:(\w+)/g)];
    const known = [...own, ...inProduction.map(([, name]) => name)];
    const dockerfile = /^ENV ([^]*?[^\\])\n/m.exec(read('Dockerfile'))?.[1] ?? '';
    const systemd = [...read('systemd/gateway@.service').matchAll(/^Environment=(.*)/gm)].flatMap(([, all = '']) =>
      all.split(' '),
    );
    const set = [
      ...[...dockerfile.matchAll(/(\w+)=/g)].map(([, name]) => name),
      ...systemd.map((one) => one.split('=')[0]),
      ...Object.keys(readYaml('compose.yaml').services.gateway1.environment),
      ...Object.keys(made),
      ...container.env.map(({ name }: Yaml) => name),
    ];
    expect(set).to.include.members(['MONGODB_URI', 'GATEWAY_DATA_DIR', 'WORKERS']);
    expect(set.filter((name) => !known.includes(name))).to.deep.equal([]);
  });

  it('lets pods reach the name service, the database and public addresses, and no private network', () => {
    const { policyTypes, egress } = manifestOf('NetworkPolicy').spec;
    expect(policyTypes).to.deep.equal(['Ingress', 'Egress']);
    const open: Yaml[] = egress.flatMap(({ to }: Yaml) => to.filter(({ ipBlock }: Yaml) => ipBlock));
    expect(open.map(({ ipBlock }) => ipBlock.cidr)).to.deep.equal(['0.0.0.0/0', '::/0']);
    expect(open[0].ipBlock.except).to.include.members([
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
    ]);
    expect(open[1].ipBlock.except).to.include.members(['fc00::/7', 'fe80::/10']);
  });

  it('keeps files and processes of the unit from other users of the machine', () => {
    const unit = read('systemd/gateway@.service').split('\n');
    expect(unit).to.include.members(['UMask=0077', 'ProtectProc=invisible', 'NoNewPrivileges=yes']);
  });

  it("binds the operators' listener to the machine itself unless OPS_HOST is set", async () => {
    const env = { GATEWAY_ENV: 'production', ...made, PUBLIC_URL: 'https://pay.example' };
    const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value || 'https://a.example']));
    const loaded = await loadConfig({ env: filled, root, cwd: root });
    expect(loaded.config.ops.host).to.equal('127.0.0.1');
  });

  it('runs actions of the workflow by the hash of a commit', () => {
    const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8');
    const used = [...workflow.matchAll(/uses: (\S+)(.*)/g)];
    expect(used).to.have.length.above(2);
    for (const [, action = '', comment] of used) {
      expect(action).to.match(/@[0-9a-f]{40}$/);
      expect(comment).to.match(/# v\d+\.\d+\.\d+$/);
    }
  });

  it('probes routes that exist, on the port where the service listens', async () => {
    const routes = readFileSync(join(root, 'core/http/health/routes.ts'), 'utf8');
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet.path);
    expect(probes).to.deep.equal(['/health', '/health', '/ready']);
    for (const path of probes) expect(routes).to.contain(`get('${path}'`);
    expect(container.ports).to.deep.equal([
      { name: 'http', containerPort: config.server.port },
      { name: 'ops', containerPort: config.ops.port },
    ]);
    expect(read('Dockerfile')).to.contain(`EXPOSE ${config.server.port} ${config.ops.port}\n`);
    for (const name of ['gateway1', 'gateway2'])
      expect(read('compose/nginx.conf')).to.contain(`server ${name}:${config.server.port} `);
  });

  it("opens the operators' listener only to the metrics scraper", () => {
    for (const kind of ['Service', 'Ingress']) expect(JSON.stringify(manifestOf(kind)), kind).not.to.match(/ops|9464/);
    const rules: Yaml[] = manifestOf('NetworkPolicy').spec.ingress;
    const open = rules.filter(({ ports }) => ports.some(({ port }: Yaml) => port === 'ops'));
    expect(open).to.have.length(1);
    expect(open[0].from[0]).to.have.all.keys('namespaceSelector', 'podSelector');
    expect(read('compose/nginx.conf')).not.to.contain(`${config.ops.port}`);
    const { networks, services } = readYaml('compose.yaml');
    expect(networks.scrape).to.deep.equal({ internal: true });
    const reaching = Object.keys(services).filter((name) => services[name].networks?.includes('scrape'));
    expect(reaching).to.have.members(['gateway1', 'gateway2', 'prometheus']);
    const { targets } = readYaml('prometheus/prometheus.yaml').scrape_configs[0].static_configs[0];
    expect(targets).to.deep.equal([`gateway1:${config.ops.port}`, `gateway2:${config.ops.port}`]);
    const { podMetricsEndpoints, selector } = readYaml('kubernetes/monitoring/pod-monitor.yaml').spec;
    expect(podMetricsEndpoints[0]).to.include({ port: 'ops', path: '/metrics' });
    expect(selector.matchExpressions).to.deep.equal(ofAllPods);
  });

  it('scales by metrics only on request, instead of by CPU', () => {
    const { resources, components } = readYaml('kubernetes/kustomization.yaml');
    expect([resources.filter((path: string) => path.includes('/')), components]).to.deep.equal([[], undefined]);
    for (const [, name] of read('kubernetes/kustomization.yaml').matchAll(/^#   - ([\w-]+)/gm))
      expect(readYaml(`kubernetes/${name}/kustomization.yaml`).kind, name).to.equal('Component');
    const byAge = readYaml('kubernetes/monitoring/autoscaler.yaml');
    const byCpu = manifestOf('HorizontalPodAutoscaler');
    expect(byAge.metadata.name).to.equal(byCpu.metadata.name);
    expect(readYaml('kubernetes/monitoring/kustomization.yaml').patches).to.deep.equal([{ path: 'autoscaler.yaml' }]);
    expect(byAge.spec.metrics[0]).to.deep.equal(byCpu.spec.metrics[0]);
    const [rule] = readYaml('kubernetes/monitoring/prometheus-adapter.yaml').rules.external;
    expect(byAge.spec.metrics[1].external.metric.name).to.equal(rule.name.as);
    const asked = [rule.seriesQuery, /gateway_\w+(?=\{)/.exec(rule.metricsQuery)?.[0]];
    expect(asked[0]).to.equal(asked[1]);
    for (const name of asked) expect(Object.values(metricList).map((one) => one.name)).to.include(name);
  });

  it('can run the API and workers separately, with everything shared except the answering port', () => {
    const { patches } = readYaml('kubernetes/workers-apart/kustomization.yaml');
    const [args, target] = patches.map(({ patch }: Yaml) => parse(patch)[0].value);
    expect([args, target]).to.deep.equal([['api'], 'gateway-worker']);
    const worker: Yaml = parseAllDocuments(read('kubernetes/workers-apart/worker.yaml'))[0]!.toJS();
    expect(worker.metadata.name).to.equal(target);
    const { containers, ...ofPod } = worker.spec.template.spec;
    const probesOf = (one: Yaml) =>
      ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => one[name].httpGet);
    const probesAt = (port: string): Yaml[] => probesOf(container).map((probe) => ({ ...probe, port }));
    expect(probesOf(containers[0])).to.deep.equal(probesAt('ops'));
    expect(containers[0].ports).to.deep.equal(container.ports.slice(1));
    for (const name of ['image', 'envFrom', 'resources', 'securityContext', 'volumeMounts'])
      expect(containers[0][name], name).to.deep.equal(container[name]);
    for (const name of ['securityContext', 'volumes', 'terminationGracePeriodSeconds'])
      expect(ofPod[name], name).to.deep.equal(pod[name]);
    expect(ofAllPods[0]!.values).to.deep.equal(
      [pod, ofPod].map((one) => one.topologySpreadConstraints[0].labelSelector.matchLabels.app),
    );
  });

  it('can run the API and workers on one machine, and reads the settings of one role last', () => {
    const files = [...read('systemd/gateway@.service').matchAll(/^EnvironmentFile=(.*)$/gm)].map(([, file]) => file);
    expect(files).to.deep.equal(['/etc/gateway/environment', '-/etc/gateway/environment-%i']);
    expect(variables).to.have.property('OPS_PORT');
  });

  it('waits for the end of work in progress', () => {
    const { shutdownSeconds } = config.server;
    // The service stops within 2 s of it.
    expect(pod.terminationGracePeriodSeconds).to.be.at.least(5 + shutdownSeconds + 5);
    expect(parseInt(readYaml('compose.yaml').services.gateway1.stop_grace_period, 10)).to.be.at.least(
      shutdownSeconds + 5,
    );
    const systemd = /^TimeoutStopSec=(\d+)$/m.exec(read('systemd/gateway@.service'))?.[1];
    expect(Number(systemd)).to.be.at.least(shutdownSeconds + 5);
  });

  it('lets the proxy accept bodies as large as the service does, and wait as long as a provider may take', () => {
    const settingOf = (name: string): number =>
      Number(new RegExp(`^ *${name} (\\d+)`, 'm').exec(read('compose/nginx.conf'))?.[1]);
    expect(settingOf('client_max_body_size') * 2 ** 20).to.be.at.least(config.http.batchLimitBytes);
    expect(settingOf('proxy_read_timeout')).to.be.above((2 * config.provider.callTimeoutMs) / 1000);
    expect(settingOf('keepalive_timeout')).to.be.below(65);
  });

  it('runs as an unprivileged user on a read-only root file system', () => {
    const compose = readYaml('compose.yaml').services.gateway1;
    expect([compose.read_only, compose.cap_drop]).to.deep.equal([true, ['ALL']]);
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const user = /^USER (\d+):/m.exec(read('Dockerfile'))?.[1];
    expect([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser]).to.deep.equal([true, Number(user)]);
    const dataDir = /GATEWAY_DATA_DIR=(\S+)/.exec(read('Dockerfile'))?.[1] ?? '';
    expect(compose.tmpfs[0]).to.match(new RegExp(`^${dataDir}:uid=${user},`));
    expect(container.volumeMounts.map(({ mountPath }: Yaml) => mountPath)).to.include(dataDir);
  });

  it('starts files that exist, on a Node.js version that the service supports', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const least = Number(/\d+/.exec(engines.node)?.[0]);
    for (const [, version] of read('Dockerfile').matchAll(/^FROM node:(\d+)/gm))
      expect(Number(version)).to.be.at.least(least);
    const [, script = ''] = /ENTRYPOINT \["node", "([^"]+)"\]/.exec(read('Dockerfile')) ?? [];
    expect(read('systemd/gateway@.service')).to.contain(`ExecStart=/usr/bin/node /opt/gateway/${script} %i`);
    const named = [script, 'config/deploy/gateway.yaml', readYaml('compose.yaml').services.gateway1.build.dockerfile];
    named.push(/CMD \["node", "([^"]+)"\]/.exec(read('Dockerfile'))?.[1] ?? '');
    for (const path of named) expect(existsSync(join(root, path)), path).to.equal(true);
  });

  it('is built only from files of the repository', () => {
    const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const nameOf = (line: string): string => line.replace(/^\*\*\/|\/$/g, '');
    const kept = new Set(linesOf(read('Dockerfile.dockerignore')).map(nameOf));
    const ignored = linesOf(readFileSync(join(root, '.gitignore'), 'utf8')).map(nameOf);
    expect(ignored).to.include('node_modules');
    expect(ignored.filter((name) => !kept.has(name))).to.deep.equal([]);
  });

  it('includes the optional packages without which tracing does not start', () => {
    for (const path of ['Dockerfile', 'systemd/gateway@.service']) {
      expect(read(path), path).to.contain('npm prune --omit=dev');
      expect(read(path), path).not.to.contain('--omit=optional');
    }
  });

  it('has selectors that match', () => {
    const { labels } = manifestOf('Deployment').spec.template.metadata;
    expect(manifestOf('Service').spec.selector).to.deep.equal(labels);
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(manifestOf(kind).spec.selector.matchLabels, kind).to.deep.equal(labels);
    expect(manifestOf('NetworkPolicy').spec.podSelector.matchExpressions).to.deep.equal(ofAllPods);
    expect(ofAllPods[0]!.values[0]).to.equal(labels.app);
    const { scaleTargetRef, minReplicas } = manifestOf('HorizontalPodAutoscaler').spec;
    expect(scaleTargetRef.name).to.equal(manifestOf('Deployment').metadata.name);
    expect(minReplicas - manifestOf('PodDisruptionBudget').spec.maxUnavailable).to.be.at.least(2);
  });
});
