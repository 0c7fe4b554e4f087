/** What a payer types on the payer's page. */
import type { Page } from 'playwright-core';
import { payer } from '../support/bodies.ts';

const year = String(new Date().getUTCFullYear() + 3).slice(2);

export const typed: Readonly<Record<string, string>> = {
  expiration: `12${year}`,
  cvv: '737',
  ...payer,
  email: 'ines@client.example',
};

/** Fills every field that the form requires and that is still empty. */
export async function fillForm(page: Page, own: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = { ...typed, ...own };
  for (const input of await page.locator('form.pay .field :is(input, select)').all()) {
    const name = (await input.getAttribute('name')) ?? '';
    const value = all[name];
    // An address in the payer's country may have no such field.
    if (!(await input.isVisible())) continue;
    // A country may be chosen already, because the browser suggests it.
    const isFilled = name !== 'country' && (await input.inputValue()) !== '';
    if (value === undefined || (own[name] === undefined && isFilled)) continue;
    if (name === 'country') await input.selectOption(value);
    else await input.fill(value);
  }
}

export async function submitForm(page: Page): Promise<void> {
  await page.locator('form.pay button.main').click();
}
