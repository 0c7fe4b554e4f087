import { expect } from 'chai';
import { describe, it } from 'mocha';
import { appLink } from './app-link.ts';

describe('appLink', () => {
  it('returns web addresses and links into apps unchanged', () => {
    for (const text of [
      'acme-wallet://pay?code=7H2K9Q',
      'https://qr.wallet.example/bax0001?a=1&b=%20',
      'HTTPS://PAY.EXAMPLE/1',
      'wallet2s://platform/start?appId=1',
      'app.wallet-2+x://pay',
    ])
      expect(appLink(text), text).to.equal(text);
  });

  it('returns nothing for a text that an app scans but no device can open', () => {
    for (const text of [
      '',
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000520400005303986',
      'Order:123',
      '{"pay":"acme://x"}',
      'pay at acme://pay/x',
      '//pay.example/1',
      'acme:// pay/1',
      'https://',
      'acme://pay\u202Efdp',
      'acme://pay\u0000',
    ])
      expect(appLink(text), text).to.equal(undefined);
  });

  it('returns nothing for schemes that run or show the text in the browser', () => {
    for (const text of [
      'javascript://pay.example/%0Aalert(1)',
      'JavaScript://pay.example/%0Aalert(1)',
      'vbscript://x',
      'data://text/html,<script>alert(1)</script>',
      'blob://x',
      'file:///etc/passwd',
      'filesystem://x',
      'view-source://x',
      'about://blank',
    ])
      expect(appLink(text), text).to.equal(undefined);
  });
});
