/** The shipped alert rules and dashboard name only metrics that a host exposes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { commands } from '../core/cli/commands/index.ts';
import { createMetrics, metricList, type MetricDefinition } from '../core/base/metrics/index.ts';
import { evaluatePromql, selectorsOf } from '../core/base/metrics/testing/evaluate-promql.ts';
import { readPage } from '../core/base/metrics/testing/read-page.ts';
import { presentMetrics } from '../core/base/metrics/present-metrics.ts';
import { root } from './support/start-gateway.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const folder = join(root, 'config/deploy');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const { groups } = parse(read('prometheus/alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('grafana/payment-gateway.json')) as { panels: Panel[] };
/** Replaces the variables that Grafana fills in before Prometheus parses the expression. */
const fillIn = (expr: string): string => expr.replaceAll('$__rate_interval', '1m');

describe('the monitoring configuration', () => {
  /** Metric name to the labels of its series. */
  let exposed: ReadonlyMap<string, ReadonlySet<string>>;

  before(async () => {
    const page = readPage((await presentMetrics([await createMetrics({ process: 'api-1' }).snapshot()], [])).text);
    const ofNode = page.map(({ name, labels }) => [name, new Set(Object.keys(labels))] as const);
    const listed = Object.values<MetricDefinition>(metricList).flatMap(({ name, type, labels }) => {
      const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name];
      return names.map(
        (one) => [one, new Set<string>([...labels, ...(one.endsWith('_bucket') ? ['le'] : [])])] as const,
      );
    });
    // Added by Prometheus itself.
    exposed = new Map([...ofNode, ...listed, ['up', new Set(['job'])] as const]);
  });

  function findUnknownMetrics(expr: string): string[] {
    const selectors = selectorsOf(fillIn(expr));
    expect(selectors, expr).not.to.deep.equal([]);
    return selectors.flatMap(({ name, labels }) => {
      const known = exposed.get(name);
      if (!known) return [name];
      return labels.filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
    });
  }

  it('names only metrics and labels that are exposed', () => {
    expect(rules.length).to.be.at.least(20);
    for (const { alert, expr } of rules) expect(findUnknownMetrics(expr), alert).to.deep.equal([]);
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) expect(findUnknownMetrics(expr), title).to.deep.equal([]);
    }
    expect(findUnknownMetrics('gateway_callbaks_total{provder="a"} > 0')).to.deep.equal(['gateway_callbaks_total']);
    expect(findUnknownMetrics('gateway_callbacks_total{provder="a"} > 0')).to.deep.equal([
      'gateway_callbacks_total{provder}',
    ]);
  });

  it('matches only values that the labels can have', () => {
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    for (const expr of expressions) {
      for (const [, name = '', inner = ''] of expr.matchAll(/(gateway_\w+?)(?:_bucket|_count)?\{([^}]*)\}/g)) {
        const definition = Object.values<MetricDefinition>(metricList).find((one) => one.name === name);
        for (const [, label = '', value = ''] of inner.matchAll(/(\w+)=~?"([^"$]+)"/g)) {
          const values = definition?.values?.[label as keyof NonNullable<MetricDefinition['values']>];
          if (values) expect(values, expr).to.include.members(value.split('|'));
        }
      }
    }
  });

  it('fires on events that are counted between two scrapes', async () => {
    const pageOf = async (count: (metrics: ReturnType<typeof createMetrics>) => void) => {
      const metrics = createMetrics();
      metrics.startAtZero({ provider: ['one', 'two'], job: ['reconcile'], kind: ['charged_twice'], code: ['SYS001'] });
      metrics.databaseUp.set(1);
      metrics.backlogRead.set(1);
      count(metrics);
      return readPage((await presentMetrics([await metrics.snapshot()], [])).text);
    };
    const empty = await pageOf(() => undefined);
    const findFiringAlerts = async (count: Parameters<typeof pageOf>[0]) => {
      const scrapes = { before: empty, now: await pageOf(count), seconds: 600 };
      return Object.fromEntries(
        rules.flatMap(({ alert, expr }) => {
          const found = evaluatePromql(expr, scrapes);
          return found.length > 0 ? [[alert, found]] : [];
        }),
      );
    };
    const submit = (unknown: number, succeeded: number) => (metrics: ReturnType<typeof createMetrics>) => {
      metrics.submissions.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'unknown' }, unknown);
      metrics.submissions.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'succeeded' }, succeeded);
      metrics.submissions.inc({ provider: 'two', account: 'main', mode: 'live', outcome: 'succeeded' }, 100);
    };
    expect(await findFiringAlerts(() => undefined)).to.deep.equal({});
    expect(await findFiringAlerts(submit(4, 5)), 'too few submits').to.deep.equal({});
    expect(await findFiringAlerts(submit(2, 18))).to.deep.equal({});
    expect(await findFiringAlerts(submit(5, 5))).to.deep.equal({
      GatewaySubmissionsUnanswered: [{ labels: { provider: 'one' }, value: 0.5 }],
    });
    const slow = await findFiringAlerts((metrics) => {
      for (let times = 0; times < 10; times += 1) metrics.databaseRoundTripSeconds.observe(0.4);
    });
    expect(Object.keys(slow)).to.deep.equal(['GatewayDatabaseSlow']);
    expect(slow['GatewayDatabaseSlow']![0]!.value).to.be.closeTo(0.4875, 1e-9);
    const once = await findFiringAlerts((metrics) => {
      metrics.httpProblems.inc({ code: 'SYS001' });
      metrics.deliveries.inc({ mode: 'live', outcome: 'exhausted' });
      metrics.alarmsOpen.set({ kind: 'charged_twice' }, 1);
    });
    expect(Object.keys(once)).to.have.members(['GatewayFaults', 'GatewayNotificationsExhausted', 'GatewayAlarmOpen']);
  });

  it('gives each alert a unique name, a severity and a description', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).to.match(/^Gateway[A-Z]\w+$/);
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary.length, alert).to.be.above(10);
      expect(annotations.description.length, alert).to.be.above(10);
    }
  });

  it('names only commands that exist', () => {
    const names = commands.map(({ name }) => name);
    for (const { alert, annotations } of rules) {
      for (const [, name = ''] of annotations.description.matchAll(/npx paywright ([a-z]+(?: [a-z]+)?)/g))
        expect(names.includes(name) || names.includes(name.split(' ')[0]!), `${alert}: ${name}`).to.equal(true);
    }
  });

  it('shows every listed metric on the dashboard', () => {
    const shown = new Set(
      panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => selectorsOf(fillIn(expr)).map(({ name }) => name)),
      ),
    );
    const missing = Object.values<MetricDefinition>(metricList).filter(
      ({ name }) => ![name, `${name}_bucket`, `${name}_count`].some((one) => shown.has(one)),
    );
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
  });

  it('lays out the panels without overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).to.be.at.most(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x} ${y}`), title).to.equal(undefined);
          taken.set(`${x} ${y}`, title);
        }
      }
    }
  });

  it('selects the hosts by the job name of the Prometheus example', () => {
    const { rule_files, scrape_configs } = parse(read('prometheus/prometheus.yaml')) as {
      rule_files: string[];
      scrape_configs: { job_name: string }[];
    };
    expect(rule_files).to.deep.equal(['alerts.yaml']);
    const jobs = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
    expect(new Set(jobs)).to.deep.equal(new Set(scrape_configs.map(({ job_name }) => job_name)));
  });
});
