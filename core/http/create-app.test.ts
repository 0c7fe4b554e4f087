import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { endpoints } from './testing/bodies.ts';
import { startGateway } from './testing/gateway.ts';
import type { TestGateway } from './testing/gateway.ts';

describe('http: smoke', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  for (const [path, body] of Object.entries(endpoints)) {
    it(`${path} answers OK`, async () => {
      const { status, text, headers } = await gateway.send(path, { body });
      expect({ status, text, type: headers.get('content-type') }).to.deep.equal({
        status: 200,
        text: 'OK',
        type: 'text/plain; charset=utf-8',
      });
    });
  }
});
