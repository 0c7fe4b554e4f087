import { expect } from 'chai';
import { describe, it } from 'mocha';
import { requestTarget } from '../../index.ts';

describe('requestTarget', () => {
  for (const [base, path, target] of [
    ['https://a.example', '/v2/pays', '/v2/pays'],
    ['https://a.example/api', '/v2/pays?ref=a%20b', '/api/v2/pays?ref=a%20b'],
    ['http://127.0.0.1:8080/a/b', '/', '/a/b/'],
  ] as const) {
    it(`returns ${target} for ${base} and ${path}`, () => expect(requestTarget(base, path)).to.equal(target));
  }
});
