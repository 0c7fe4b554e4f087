import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { MINUTE } from '../../base/async/time.ts';
import { createCallEndpoints } from './call-endpoints.ts';
import { fakeActive } from './testing/fake-adapter.ts';
import type { AttemptResult } from './http/circuit-breaker.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

describe('createCallEndpoints', () => {
  it('reports an address as reached at its first answer, after a failure, and then once a minute', () => {
    let time = 1_000_000;
    const reports: string[] = [];
    const endpointOf = createCallEndpoints({
      config: { callTimeoutMs: 1000, concurrency: 1, breakerFailures: 2, breakerCoolOffMs: 1000 },
      now: () => new Date(time),
      metrics: createMetrics(),
      onBreakerOpen: (adapter, mode) => reports.push(`${adapter} ${mode} open`),
      onReached: (adapter, mode) => reports.push(`${adapter} ${mode} reached`),
    });
    const adapter = { manifest: {} };
    const options = { baseUrl: 'https://api.example', sandboxBaseUrl: 'https://sandbox.example' };
    const active = {
      name: 'provider-a',
      ref: 'provider-a',
      adapter,
      options,
      sandboxOptions: options,
    } as unknown as ActiveAdapter;
    const attempt = (result: AttemptResult): void => endpointOf(active, false).breaker.enter()?.(result);
    const reportsOf = (work: () => void): string[] => {
      work();
      return reports.splice(0);
    };
    expect(reportsOf(() => attempt('answered'))).to.deep.equal(['provider-a live reached']);
    time += MINUTE - 1;
    expect(reportsOf(() => attempt('answered'))).to.deep.equal([]);
    time += 1;
    expect(reportsOf(() => attempt('answered'))).to.deep.equal(['provider-a live reached']);
    expect(reportsOf(() => [1, 2].forEach(() => attempt('unreachable')))).to.deep.equal(['provider-a live open']);
    time += 10 * MINUTE;
    expect(reportsOf(() => attempt('unknown'))).to.deep.equal([]);
    expect(reportsOf(() => attempt('answered'))).to.deep.equal(['provider-a live reached']);
  });

  it('shows an open breaker of one account, and limits no call of the other accounts', async () => {
    const metrics = createMetrics();
    const endpointOf = createCallEndpoints({
      config: { callTimeoutMs: 1000, concurrency: 1, breakerFailures: 2, breakerCoolOffMs: 1000 },
      now: () => new Date(),
      metrics,
    });
    metrics.nameAccounts(['acme/shop']);
    const [main, shop, other] = ['main', 'shop', 'later'].map((account) => fakeActive({ account }));
    for (const active of [main!, shop!, other!]) endpointOf(active, false);
    for (const _ of [1, 2]) endpointOf(shop!, false).breaker.enter()?.('unreachable');
    const isOpen = async (account: string) =>
      valueOf(metrics, 'gateway_breakers_open', { provider: 'acme', account, mode: 'live' });
    expect([await isOpen('main'), await isOpen('shop'), await isOpen('other')]).to.deep.equal([0, 1, 0]);
    expect(endpointOf(main!, false).breaker.isOpen()).to.equal(false);
    // The calls in progress of one account do not use up the permits of another one.
    const permits = [shop, shop, main].map((active) => endpointOf(active!, false).semaphore.tryAcquire());
    expect(permits.map((one) => one !== undefined)).to.deep.equal([true, false, true]);
    metrics.nameAccounts([]);
    expect([await isOpen('shop'), await isOpen('other')]).to.deep.equal([undefined, 1]);
  });
});
