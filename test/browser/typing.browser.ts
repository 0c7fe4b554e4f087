// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
/** How the form helps the payer to fill it in. */
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { startGateway, type TestGateway } from '../../core/http/testing/gateway.ts';
import type { PayerInput } from '../../core/engine/payments/types/input.ts';
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
const withAddress = {
  ...card,
  fields: ['name', 'email', 'phoneNumber', 'address', 'city', 'state', 'postalCode', 'country'],
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

  it('shows and sends the digits of any keyboard as 0–9', async () => {
    for (const [label, typed, shown] of [
      ['Card number', '٤١١١١١١١١١١١١١١١', '4111 1111 1111 1111'],
      ['Expiry date', '१२४९', '12/49'],
      ['Security code', '٧٣٧', '737'],
    ] as const) {
      await field(label).focus();
      for (const key of typed) await page.keyboard.insertText(key);
      await page.keyboard.press('Tab');
      expect([await field(label).inputValue(), await isInvalid(label)]).to.deep.equal([shown, false]);
    }
  });

  it('never shows another month than the typed one', async () => {
    const month = field('Expiry date');
    for (const typed of ['1/49', '1-49', '1.49', '1/2049', '01/2049', '2049-01', '2049-1', '0149']) {
      await month.fill('');
      await month.pressSequentially(typed);
      await page.keyboard.press('Tab');
      expect([await month.inputValue(), await isInvalid('Expiry date')], typed).to.deep.equal(['01/49', false]);
    }
    for (const filled of ['2049-01', 'January 2049']) {
      await month.fill('');
      await month.focus();
      await page.keyboard.insertText(filled);
      expect(await month.inputValue(), filled).to.equal('01/49');
    }
  });

  it('accepts a card until its month is over in the last time zone on earth', async () => {
    const inHawaii = await openPage(browser, { timezoneId: 'Pacific/Honolulu' });
    for (const [time, isExpired] of [
      ['2026-12-01T03:00:00Z', false],
      ['2026-12-01T12:00:00Z', true],
    ] as const) {
      await inHawaii.page.clock.setFixedTime(new Date(time));
      await inHawaii.page.goto(`${gateway.url}/pay/10042?k=key`);
      const month = inHawaii.page.getByLabel('Expiry date', { exact: true });
      await month.pressSequentially('1126');
      expect((await month.getAttribute('aria-invalid')) === 'true', time).to.equal(isExpired);
    }
    await inHawaii.close();
  });

  it('accepts numbers of every length and brand, and three digits for every brand', async () => {
    await field('Card number').fill('8171999900000000021');
    await page.keyboard.press('Tab');
    expect(await isInvalid('Card number')).to.equal(false);
    await field('Card number').fill('378282246310005');
    await field('Security code').fill('737');
    await page.keyboard.press('Tab');
    expect([await isInvalid('Card number'), await isInvalid('Security code')]).to.deep.equal([false, false]);
  });

  it('keeps a phone number with separators and an address in any script as typed, and sends them', async () => {
    gateway.answers.page = {
      ...plainPage,
      state: 'created',
      details: { ...pageDetails, ways: [withAddress], attempts: 0 },
    };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    for (const [label, typed] of [
      ['Card number', '4242424242424242'],
      ['Expiry date', '12/49'],
      ['Security code', '737'],
      ['Name on card', 'Wong Ka Ming'],
      ['Email', 'josé@डाटामेल.भारत'],
      ['Phone', '+351 912 345 678'],
      ['Street and number', '12 Nathan Road'],
      ['City', 'Kowloon'],
    ] as const)
      await field(label).pressSequentially(typed);
    await field('Country or region').selectOption('US');
    await page.getByRole('button', { name: /Pay/ }).click();
    expect([await isInvalid('Postal code'), await isInvalid('State or region')]).to.deep.equal([true, true]);
    await field('Country or region').selectOption('MO');
    expect([await isInvalid('Postal code'), await isInvalid('State or region')]).to.deep.equal([false, false]);
    expect(await field('Phone').inputValue()).to.equal('+351 912 345 678');
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: /Pay/ }).click(),
    ]);
    const [, input] = gateway.askedOnly('pay') as [number, PayerInput];
    expect(input.payer).to.include({
      phoneNumber: '+351912345678',
      email: 'josé@डाटामेल.भारत',
      country: 'MO',
      postalCode: '',
      state: '',
    });
  });

  it('reports the bounds of a phone number without its separators', async () => {
    gateway.answers.page = {
      ...plainPage,
      state: 'created',
      details: { ...pageDetails, ways: [withAddress], attempts: 0 },
    };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    for (const [typed, isWrong] of [
      ['(+1) (2) (3)', true],
      ['+351 912 345 678 901 2', true],
      ['+971 50 123 4567', false],
    ] as const) {
      await field('Phone').fill(typed);
      await page.keyboard.press('Tab');
      expect(await isInvalid('Phone'), typed).to.equal(isWrong);
    }
  });
});
