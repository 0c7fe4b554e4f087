/** How the form helps the payer to fill it in. */
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { startGateway, type TestGateway } from '../../core/http/testing/gateway.ts';
import { pageDetails, plainPage } from '../../core/http/testing/pay-page.ts';
import { expectAccessible, launchBrowser, openPage, takeScreenshot, type OpenPage } from './browser.ts';

const card = {
  id: 'card',
  method: 'card',
  kind: 'card',
  instrument: 'card',
  adapter: null,
  coin: null,
  title: 'Acme',
  currency: 'EUR',
  fields: ['name', 'email', 'country'],
} as const;
const upi = {
  ...card,
  id: 'upi_collect',
  method: 'upi_collect',
  kind: 'upi',
  instrument: 'upiId',
  fields: [],
} as const;

describe('the payment form in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let opened: OpenPage;
  let page: Page;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway();
  });
  after(async () => {
    await browser?.close();
    await gateway?.server.close(0);
  });
  beforeEach(async () => {
    gateway.reset();
    gateway.answers.page = {
      ...plainPage,
      state: 'created',
      details: { ...pageDetails, ways: [card, upi], attempts: 0 },
    };
    opened = await openPage(browser);
    page = opened.page;
    await page.goto(`${gateway.url}/pay/10042?k=key`);
  });
  afterEach(async () => opened.close());

  const field = (label: string) => page.getByLabel(label, { exact: true });
  /** The text that screen readers announce with a field. */
  async function descriptionOf(label: string): Promise<string> {
    const ids = ((await field(label).getAttribute('aria-describedby')) ?? '').split(' ').filter(Boolean);
    return (await Promise.all(ids.map(async (id) => page.locator(`#${id}`).innerText()))).join(' | ');
  }
  const isInvalid = async (label: string): Promise<boolean> =>
    (await field(label).getAttribute('aria-invalid')) === 'true';

  it('groups the digits of a card number as on the card, and shows its brand', async () => {
    const number = field('Card number');
    await number.pressSequentially('378282246310005');
    expect(await number.inputValue()).to.equal('3782 822463 10005');
    expect(await page.locator('[data-brand]').innerText()).to.equal('American Express');
    await number.fill('');
    await number.pressSequentially('5555-5555 55554444');
    expect(await number.inputValue()).to.equal('5555 5555 5555 4444');
    expect(await page.locator('[data-brand]').innerText()).to.equal('Mastercard');
  });

  it('keeps the caret in place when digits are inserted or deleted', async () => {
    const number = field('Card number');
    await number.pressSequentially('4242424242424242');
    await number.press('Home');
    for (let n = 0; n < 3; n += 1) await number.press('ArrowRight');
    await number.press('Backspace');
    await number.press('7');
    expect(await number.inputValue()).to.equal('4272 4242 4242 4242');
  });

  it('reports an invalid number as soon as it is complete, and withdraws the message once it is corrected', async () => {
    const number = field('Card number');
    await number.pressSequentially('555555555555444');
    expect(await isInvalid('Card number')).to.equal(false);
    await number.press('5');
    expect(await isInvalid('Card number')).to.equal(true);
    expect(await descriptionOf('Card number')).to.include('That card number isn’t valid');
    await expectAccessible(page, 'a wrong number');
    await number.press('Backspace');
    await number.press('4');
    expect([await isInvalid('Card number'), await descriptionOf('Card number')]).to.deep.equal([false, '']);
  });

  it('inserts the slash of the expiry date, and recognises a month in the past', async () => {
    const month = field('Expiry date');
    await month.pressSequentially('1249');
    expect([await month.inputValue(), await isInvalid('Expiry date')]).to.deep.equal(['12/49', false]);
    for (let n = 0; n < 5; n += 1) await month.press('Backspace');
    await month.pressSequentially('0120');
    expect(await descriptionOf('Expiry date')).to.equal('MM/YY | This card has expired.');
  });

  it('focuses the first invalid field, and sends nothing', async () => {
    await field('Card number').fill('4242424242424242');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.name')).to.equal('expiration');
    expect(await descriptionOf('Name on card')).to.equal('This field is required.');
    expect(await descriptionOf('Country or region')).to.equal('Choose a country.');
    await takeScreenshot(page, 'en/form-errors-1280');
    await expectAccessible(page, 'a form with errors');
    expect(gateway.calls.filter(({ name }) => name === 'pay')).to.have.length(0);
  });

  it('validates a UPI id', async () => {
    await page.getByRole('link', { name: 'UPI ID' }).click();
    await field('UPI ID').fill('rui');
    await page.keyboard.press('Tab');
    expect(await descriptionOf('UPI ID')).to.equal('name@bank | Enter a UPI ID, for example name@bank.');
    await field('UPI ID').fill('rui@bank');
    await page.keyboard.press('Tab');
    expect(await descriptionOf('UPI ID')).to.equal('name@bank');
  });

  it('stores nothing in the browser', async () => {
    await field('Card number').fill('4242424242424242');
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).to.equal(0);
  });
});
