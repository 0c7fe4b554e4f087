import { html } from '@remix-run/html-template';
import { expect } from 'chai';
import Koa from 'koa';
import { after, before, describe, it } from 'mocha';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError } from '../../base/errors.ts';
import type { Ctx } from '../../http/state.ts';
import { until } from '../../base/testing/until.ts';
import { createPageStreams, maxStreams } from './live.ts';

describe('createPageStreams', () => {
  const times = { everyMs: 10, heartbeatMs: 30 };
  let server: Server;
  let shown = 'one';
  let isOpen = true;

  before(async () => {
    const streams = createPageStreams(times);
    const app = new Koa();
    app.use((ctx) => {
      try {
        const page = { isOpen: async () => isOpen, render: async () => html`<p>${shown}</p>` };
        streams.send(ctx as unknown as Ctx, page);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        ctx.status = 429;
        ctx.set({ ...error.headers });
      }
    });
    app.silent = true;
    server = await new Promise<Server>((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
  });
  after(async () => new Promise<void>((resolve) => server.close(() => resolve())));

  interface Listener {
    readonly status: number;
    readonly headers: Headers;
    heard(): string;
    stop(): Promise<void>;
  }

  async function listen(): Promise<Listener> {
    const stopping = new AbortController();
    const { port } = server.address() as AddressInfo;
    const { status, headers, body } = await fetch(`http://127.0.0.1:${port}`, { signal: stopping.signal });
    let heard = '';
    const reading = (async () => {
      for await (const part of body!.pipeThrough(new TextDecoderStream())) heard += part;
    })().catch(() => undefined);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await reading;
    };
    return { status, headers, heard: () => heard, stop };
  }

  it('sends a page only when it changes, and signs of life in between', async () => {
    const one = await listen();
    await until('it is sent', () => one.heard().includes('data: <p>one</p>'));
    await until('nothing changes', () => (one.heard().match(/^: $/gm)?.length ?? 0) >= 2);
    expect(one.heard().match(/event: page/g)).to.have.lengthOf(1);
    shown = 'two';
    await until('it is sent again', () => one.heard().includes('data: <p>two</p>'));
    await one.stop();
  });

  it('ends the stream when the session ends', async () => {
    const one = await listen();
    await until('it is sent', () => one.heard().includes('event: page'));
    isOpen = false;
    await until('the stream ends', () => one.heard().includes('event: over'));
    isOpen = true;
    await one.stop();
  });

  it('limits concurrent streams, and accepts another one as soon as one ends', async () => {
    const all: Listener[] = [];
    for (let count = 0; count < maxStreams; count += 1) all.push(await listen());
    expect(all.every(({ status }) => status === 200)).to.equal(true);
    const next = await listen();
    expect([next.status, next.headers.get('retry-after')]).to.deep.equal([429, '60']);
    await next.stop();
    await all.pop()?.stop();
    await until('there is capacity', async () => {
      const again = await listen();
      await again.stop();
      return again.status === 200;
    });
    for (const one of all) await one.stop();
  });
});
