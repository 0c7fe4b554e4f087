import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { notFound } from '../../base/errors.ts';
import type { Notifications } from '../../engine/notifications/index.ts';
import { fieldOf, now, publicUrl, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { notificationExample } from './view.ts';

const notification = { ...notificationExample(publicUrl), id: '10042-1' };

describe('the notifications API', () => {
  let gateway: TestGateway;
  const asked: unknown[] = [];
  before(async () => {
    gateway = await startGateway({ deps: { notifications: createService(asked) } });
  });
  beforeEach(() => {
    gateway.reset();
    asked.length = 0;
  });
  after(() => gateway.server.close(1000));

  const whose = { ownerId: 7, environment: 'test' };

  it('streams notifications, from the end of the last connection', async () => {
    const { status, headers, text } = await gateway.get('/notifications/stream', {
      headers: { 'Last-Event-ID': '7.10041-1' },
    });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream']);
    expect(headers.get('x-accel-buffering')).to.equal('no');
    expect(asked).to.deep.equal([{ ownerId: 7, after: '7.10041-1' }]);
    const data = '{"id":"10042-1","type":"payment.succeeded","createdAt":"1970-01-01T00:00:00.000Z"';
    expect(text).to.equal(
      `retry: 2000\n\nid: 0.10042-1\nevent: payment.succeeded\ndata: ${data},"headers":{"webhook-id":"10042-1"},"body":"{\\"id\\":\\"10042-1\\"}"}\n\n`,
    );
  });

  it('streams only to test keys', async () => {
    for (const key of ['live', 'writer'] as const) {
      const { status, problem } = await gateway.get('/notifications/stream', { key });
      expect([status, problem.code], key).to.deep.equal([403, 'AUTH002']);
    }
    expect(asked).to.deep.equal([]);
  });

  it('lists notifications', async () => {
    const { json } = await gateway.get(
      '/notifications?paymentRequestId=10042&state=exhausted&type=payment.failed&limit=5&cursor=c',
    );
    expect(json).to.deep.equal({ items: [notification], nextCursor: null });
    expect(asked).to.deep.equal([
      { ...whose, paymentRequestId: 10042, state: 'exhausted', type: 'payment.failed', limit: 5, cursor: 'c' },
    ]);
    for (const query of ['state=gone%20', 'limit=0', 'paymentRequestId=x']) {
      expect((await fieldOf(gateway.get(`/notifications?${query}`)))[0]).to.equal('VAL002');
    }
  });

  it('sends one notification again, with or without a body', async () => {
    const plain = await gateway.send('/notifications/10042-1/resend');
    const json = await gateway.send('/notifications/10042-1/resend', {
      body: {},
      headers: { Accept: 'application/json' },
    });
    expect([plain.text, json.json]).to.deep.equal(['OK', { result: 'OK', notification }]);
    const warned = await gateway.send('/notifications/10042-1/resend?from=2026-01-01', {
      headers: { Accept: 'application/json' },
    });
    expect(warned.json['warnings']).to.deep.equal([
      { field: 'from', message: 'is an unknown query parameter, and ignored' },
    ]);
    expect((await gateway.send('/notifications/unknown/resend')).problem.code).to.equal('NF001');
  });

  it('sends the notifications of a time span again, from query or body, or all', async () => {
    const from = '2026-01-01T00:00:00Z';
    const json = await gateway.send('/notifications/resend', {
      body: { from, to: '2026-01-02' },
      headers: { Accept: 'application/json' },
    });
    await gateway.send(`/notifications/resend?from=${from}&to=2026-01-02`);
    await gateway.send('/notifications/resend');
    expect(json.json).to.deep.equal({ result: 'OK', resent: 3 });
    const span = { ...whose, from: new Date(from), to: new Date('2026-01-02') };
    expect(asked).to.deep.equal([span, span, { ...whose, from: new Date(0), to: now }]);
    for (const body of [{ from: 1 }, { from: 'x' }, { from: '2026-01-02', to: '2026-01-01' }]) {
      expect(await fieldOf(gateway.send('/notifications/resend', { body }))).to.deep.equal(['VAL002', 'from']);
    }
  });

  it('refuses an unknown parameter, without listing or sending anything', async () => {
    expect(await fieldOf(gateway.get('/notifications?sate=gone'))).to.deep.equal(['VAL002', 'sate']);
    expect(await fieldOf(gateway.send('/notifications/resend?form=2026-01-01'))).to.deep.equal(['VAL002', 'form']);
    expect(asked).to.deep.equal([]);
  });

  it('requires their scopes', async () => {
    expect((await gateway.send('/notifications/resend', { key: 'reader' })).problem.code).to.equal('AUTH002');
    expect((await gateway.get('/notifications', { key: 'writer' })).problem.code).to.equal('AUTH002');
  });
});

function createService(asked: unknown[]): Pick<Notifications, 'list' | 'resend' | 'resendSpan' | 'listen'> {
  const { createdAt, nextAttemptAt, ...rest } = notification;
  const attempts = rest.attempts.map(({ at, ...attempt }) => ({ ...attempt, at: new Date(at) }));
  const view = { ...rest, state: 'delivered' as const, attempts, createdAt: new Date(createdAt), nextAttemptAt };
  return {
    async list(query) {
      asked.push(query);
      return { items: [view], nextCursor: null };
    },
    async resend({ id }) {
      if (id !== view.id) throw notFound('the notification');
      return view;
    },
    async resendSpan(span) {
      asked.push(span);
      return 3;
    },
    async *listen({ ownerId, after }) {
      asked.push({ ownerId, after });
      yield undefined;
      yield {
        id: '10042-1',
        type: 'payment.succeeded',
        body: '{"id":"10042-1"}',
        createdAt: new Date(0),
        position: '0.10042-1',
        headers: { 'webhook-id': '10042-1' },
      };
    },
  };
}
