import { expect } from 'chai';
import Koa from 'koa';
import { describe, it } from 'mocha';
import type { RequestState } from '../state.ts';
import { startServer } from '../start-server.ts';
import { parseQuery } from './parse-query.ts';

describe('parseQuery', () => {
  it('reads each query as Koa does', () => {
    const koa = Object.create(new Koa<RequestState>().request) as Koa.Request;
    for (const text of ['', 'a=1', 'a=1&a=2&b=&c', 'a&a&a', '__proto__=1', 'a=%E0&%E0=a', 'a=+%20', '&&=', '=1&=2']) {
      koa.req = { url: `/?${text}` } as Koa.Request['req'];
      expect(parseQuery(text)).to.deep.equal(koa.query);
    }
  });

  it('serves every request: no parameter is searched for among all', async () => {
    const app = new Koa<RequestState>();
    app.use((ctx) => void (ctx.body = ctx.query));
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const parameters = URLSearchParams.prototype;
    const original = Object.getOwnPropertyDescriptor(parameters, 'getAll')!;
    parameters.getAll = () => expect.fail('Koa parses the query');
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/?a=1&a=2&b=3`);
      expect(await answer.json()).to.deep.equal({ a: ['1', '2'], b: '3' });
    } finally {
      Object.defineProperty(parameters, 'getAll', original);
      await server.close(0);
    }
  });
});
