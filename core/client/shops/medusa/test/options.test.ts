import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readOptions } from '../options.ts';

const options = {
  baseUrl: 'https://pay.example',
  apiKey: 'gk_test_1',
  webhookSecret: 'whsec_bmV3',
  returnUrl: 'https://shop.example/return',
};

describe('readOptions', () => {
  it('accepts what the guide writes', () => {
    expect(readOptions(options)).to.equal(options);
    readOptions({ ...options, webhookSecret: ['whsec_bmV3', 'whsec_b2xk'], capture: 'manual' });
  });

  it('names everything that is wrong, and no value', () => {
    expect(() => readOptions()).to.throw(
      'baseUrl is missing, apiKey is missing, returnUrl is missing, webhookSecret is not whsec_… (a text or a list).',
    );
    for (const [name, value, text] of [
      ['baseUrl', 'pay.example', 'baseUrl is not an http or https address'],
      ['notifyUrl', '', 'notifyUrl is empty'],
      ['capture', 'later', 'capture is not "automatic" or "manual"'],
      ['webhookSecret', ['whsec_bmV3', undefined], 'webhookSecret is not whsec_…'],
      ['webhookSecret', [], 'webhookSecret is not whsec_…'],
      ['webhookSecret', 'secret-value', 'webhookSecret is not whsec_…'],
    ] as const) {
      const read = (): unknown => readOptions({ ...options, [name]: value });
      expect(read).to.throw(text);
      expect(read).not.to.throw('secret-value');
    }
  });
});
