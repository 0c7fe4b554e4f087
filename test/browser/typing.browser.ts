// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
/** How the form helps the payer to fill it in. */
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { devices, type Browser, type Page } from 'playwright-core';
import { now, startGateway, type TestGateway } from '../../core/http/testing/gateway.ts';
import type { PayerInput } from '../../core/engine/payments/types/input.ts';
import { pageDetails, plainPage } from '../../core/http/testing/pay-page.ts';
import {
  expectAccessible,
  expectNoOverflow,
  launchBrowser,
  openPage,
  takeScreenshot,
  type OpenPage,
} from './browser.ts';

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
    expect(await descriptionOf('Name on card')).to.equal('Enter the name on the card.');
    // The browser names its region.
    expect(await field('Country or region').inputValue()).to.equal('GB');
    await field('Country or region').selectOption('');
    await page.keyboard.press('Tab');
    expect(await descriptionOf('Country or region')).to.equal('Choose your country.');
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

  it('shows the field of a state only once the chosen country has one', async () => {
    const details = { ...pageDetails, ways: [withAddress], attempts: 0 };
    gateway.answers.page = { ...plainPage, state: 'created', details };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    const state = page.locator('[name=state]');
    const shown = async (country: string): Promise<boolean> => {
      await field('Country or region').selectOption(country);
      return state.isVisible();
    };
    expect(await state.isVisible()).to.equal(false);
    expect([await shown('US'), await shown(''), await shown('AU')]).to.deep.equal([true, false, true]);
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
    expect([await isInvalid('ZIP code'), await isInvalid('State')]).to.deep.equal([true, true]);
    // Macao has neither: the fields are gone, and what was typed into them is not sent.
    await field('ZIP code').fill('12345');
    await field('Country or region').selectOption('MO');
    expect([await field('Postal code').isVisible(), await field('State or region').isVisible()]).to.deep.equal([
      false,
      false,
    ]);
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

  it('lists few errors at the top, each with a link that moves the focus to its field', async () => {
    await field('Card number').fill('4242424242424241');
    await page.getByRole('button', { name: /Pay/ }).click();
    const summary = page.locator('[data-summary]');
    expect(await summary.innerText()).to.equal('Check the fields marked below.');
    await field('Expiry date').fill('1249');
    await field('Security code').fill('737');
    await page.getByRole('button', { name: /Pay/ }).click();
    expect(await summary.getByRole('link').allInnerTexts()).to.deep.equal([
      'That card number isn’t valid. Check it and try again.',
      'Enter the name on the card.',
      'Enter your email address.',
    ]);
    await expectAccessible(page, 'a list of errors');
    const before = page.url();
    await summary.getByRole('link', { name: 'Enter your email address.' }).click();
    expect([await page.evaluate('document.activeElement.name'), page.url()]).to.deep.equal(['email', before]);
  });

  it('marks the brand of the number among the accepted cards', async () => {
    const brands = ['Visa', 'Mastercard'].map((name) => ({ name, picture: null }));
    gateway.answers.page = {
      ...plainPage,
      state: 'created',
      details: { ...pageDetails, ways: [{ ...card, brands }, upi], attempts: 0 },
    };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    const faded = () => page.locator('[data-accepted].other').allInnerTexts();
    expect(await page.getByRole('list', { name: 'Accepted cards' }).locator('li').allInnerTexts()).to.deep.equal([
      'Visa',
      'Mastercard',
    ]);
    await field('Card number').pressSequentially('5555');
    expect(await faded()).to.deep.equal(['Visa']);
    // A brand that is not listed may be accepted all the same.
    await field('Card number').fill('3782');
    expect([await faded(), await page.locator('[data-brand]').innerText()]).to.deep.equal([[], 'American Express']);
  });

  it('keeps what was typed while the payer looks at another way, and stores it nowhere', async () => {
    await field('Card number').pressSequentially('4242424242424242');
    await field('Email').fill('ada@example.com');
    await field('Country or region').selectOption('PT');
    await page.getByRole('link', { name: 'UPI ID' }).click();
    await field('UPI ID').waitFor();
    expect(await page.locator('#number').count()).to.equal(0);
    const kept = await page.evaluate(
      'JSON.stringify([location.href, document.cookie, localStorage.length, sessionStorage.length, document.body.innerHTML])',
    );
    expect(kept).not.to.match(/4242 ?4242|ada@example/);
    await page.getByRole('link', { name: 'Card' }).click();
    await field('Card number').waitFor();
    expect([
      await field('Card number').inputValue(),
      await page.locator('[data-brand]').innerText(),
      await field('Email').inputValue(),
      await field('Country or region').inputValue(),
    ]).to.deep.equal(['4242 4242 4242 4242', 'Visa', 'ada@example.com', 'PT']);
    expect(page.url()).to.include('way=card').and.not.include('4242');
  });

  it('shows the link as expired when its time is over, while the page is open', async () => {
    const soon = new Date(now.getTime() + 2000);
    const open = { ...plainPage, state: 'created', stamp: 'open' } as const;
    gateway.answers.page = { ...open, details: { ...pageDetails, ways: [card], attempts: 0, expiresAt: soon } };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    await field('Card number').pressSequentially('4242');
    gateway.answers.page = { ...open, state: 'expired', stamp: 'over', details: { ...pageDetails, attempts: 0 } };
    await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
    expect(await page.locator('form.pay').count()).to.equal(0);
  });

  it('lets a payer who has waited for long copy the link', async () => {
    const details = { ...pageDetails, method: 'card' } as const;
    gateway.answers.page = { ...plainPage, isSlow: true, details };
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page: waiting, close } = await openPage(browser, { permissions });
    await waiting.goto(`${gateway.url}/pay/10042?k=key`);
    await waiting.getByRole('button', { name: 'Copy this link' }).click();
    await waiting.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await waiting.evaluate('navigator.clipboard.readText()')).to.equal(waiting.url());
    await close();
  });

  it('gives the due time by the payer’s clock, and says so', async () => {
    const expiresAt = new Date('2026-11-29T20:11:00Z');
    const at = { ...pageDetails, ways: [card], attempts: 0, expiresAt };
    gateway.answers.page = { ...plainPage, state: 'created', details: at };
    const { page: abroad, close } = await openPage(browser, { locale: 'en-US', timezoneId: 'America/New_York' });
    await abroad.goto(`${gateway.url}/pay/10042?k=key`);
    const due = abroad.locator('.summary time');
    expect((await due.innerText()).replace(/\s/gu, ' ')).to.equal('Nov 29, 3:11 PM (your time)');
    await close();
    const plain = await openPage(browser, { locale: 'en-US', javaScriptEnabled: false });
    await plain.page.goto(`${gateway.url}/pay/10042?k=key`);
    expect((await plain.page.locator('.summary time').innerText()).replace(/\s/gu, ' ')).to.equal(
      'Nov 29, 8:11 PM UTC',
    );
    await plain.close();
  });

  for (const device of ['iPhone 13', 'Pixel 7'] as const) {
    it(`offers the keyboards and the autofill of ${device}`, async () => {
      const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices[device];
      gateway.answers.page = {
        ...plainPage,
        state: 'created',
        details: { ...pageDetails, ways: [withAddress], attempts: 0, known: { country: 'IN' } },
      };
      const onPhone = await openPage(browser, { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch });
      await onPhone.page.goto(`${gateway.url}/pay/10042?k=key`);
      const attributesOf = async (name: string): Promise<(string | null)[]> => {
        const input = onPhone.page.locator(`[name=${name}]`);
        return Promise.all(['autocomplete', 'inputmode', 'type'].map((one) => input.getAttribute(one)));
      };
      expect({
        number: await attributesOf('number'),
        expiration: await attributesOf('expiration'),
        cvv: await attributesOf('cvv'),
        name: await attributesOf('name'),
        email: await attributesOf('email'),
        phoneNumber: await attributesOf('phoneNumber'),
        postalCode: await attributesOf('postalCode'),
        country: await attributesOf('country'),
      }).to.deep.equal({
        number: ['cc-number', 'numeric', 'text'],
        expiration: ['cc-exp', 'numeric', 'text'],
        cvv: ['cc-csc', 'numeric', 'text'],
        name: ['cc-name', null, 'text'],
        email: ['email', 'email', 'text'],
        phoneNumber: ['tel', null, 'tel'],
        postalCode: ['billing postal-code', null, 'text'],
        country: ['billing country', null, null],
      });
      // The example of the payer's country, and its names of the fields.
      expect(await onPhone.page.locator('#phoneNumber-hint').innerText()).to.include('+91\u00A081234\u00A056789');
      expect(await onPhone.page.getByLabel('PIN code', { exact: true }).isVisible()).to.equal(true);
      // iOS zooms into a field whose text is smaller than 16 pixels.
      const sizes = (await onPhone.page.evaluate(
        "[...document.querySelectorAll('input:not([type=hidden]), select')].map((one) => parseFloat(getComputedStyle(one).fontSize))",
      )) as number[];
      expect(Math.min(...sizes)).to.be.at.least(16);
      await expectNoOverflow(onPhone.page, device);
      await expectAccessible(onPhone.page, device);
      await takeScreenshot(onPhone.page, `en/form-${device.replace(' ', '-')}`);
      await onPhone.close();
    });
  }

  it('lets the security code have four digits, and an address be copied without gaps', async () => {
    await field('Security code').pressSequentially('12345');
    expect(await field('Security code').inputValue()).to.equal('1234');
    const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
    const action = { type: 'crypto', coin: 'BTC', network: 'bitcoin', address, amount: '0.00051', expiry: '' } as const;
    gateway.answers.page = { ...plainPage, action, details: { ...pageDetails, method: 'crypto' } };
    await page.goto(`${gateway.url}/pay/10042?k=key`);
    const copied = await page.evaluate(`(() => {
      const code = document.querySelector('code:has(.group)');
      getSelection().selectAllChildren(code);
      return getSelection().toString();
    })()`);
    expect(copied).to.equal(address);
    await takeScreenshot(page, 'en/coin-1280');
  });
});
