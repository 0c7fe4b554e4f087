/** An operator at the console in Chromium. It counts clicks; typing and looking are free. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { openPage } from '../browser/browser.ts';
import { maxClicks } from './trouble.ts';
import type { World } from './world.ts';

const waitMs = 30_000;

export interface Desk {
  readonly page: Page;
  /** Clicks since `startAtOverview`. */
  count(): number;
  startAtOverview(): Promise<void>;
  /** Follows a link of the navigation. */
  visit(section: string): Promise<void>;
  /** Follows the first link inside the main part that contains the text. */
  follow(text: string | RegExp): Promise<void>;
  /** Follows a link with this text in the row that contains `row`. */
  followIn(row: string, text: string | RegExp): Promise<void>;
  /** Presses the first visible button with this label. `inside`: only in elements with this text. */
  press(label: string | RegExp, inside?: { readonly selector: string; readonly text: string }): Promise<void>;
  /** Fills a field. */
  type(label: string | RegExp, value: string): Promise<void>;
  /** Opens the alarm with this title and text: from the overview, or from the list of alarms. */
  openAlarm(title: string, text?: string): Promise<void>;
  /** Waits until the main part contains the text. */
  sees(text: string | RegExp): Promise<void>;
  close(): Promise<void>;
}

export async function openDesk(browser: Browser, { opsUrl }: World, key: string): Promise<Desk> {
  const { page, close } = await openPage(browser);
  page.setDefaultTimeout(waitMs);
  let count = 0;
  const click = async (target: Locator, what: string | RegExp): Promise<void> => {
    count += 1;
    if (count > maxClicks) throw new Error(`needs more than ${maxClicks} clicks: ${what} is the next one`);
    await target.click();
  };
  const main = page.locator('main');

  await page.goto(`${opsUrl}/ops`);
  await page.locator('input[name=key]').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main h1').waitFor();

  return {
    page,
    count: () => count,
    startAtOverview: async () => {
      count = 0;
      await page.goto(`${opsUrl}/ops`);
      await page.locator('main h1').waitFor();
    },
    visit: async (section) => {
      const link = page.getByRole('navigation').getByRole('link', { name: section });
      await click(link.first(), section);
      await main.getByRole('heading', { level: 1, name: section }).waitFor();
    },
    follow: async (text) => click(main.getByRole('link').filter({ hasText: text }).first(), text),
    followIn: async (row, text) =>
      click(main.getByRole('row').filter({ hasText: row }).first().getByRole('link', { name: text }).first(), text),
    press: async (label, inside) => {
      const where = inside ? main.locator(inside.selector).filter({ hasText: inside.text }).first() : main;
      await click(where.getByRole('button', { name: label, exact: true }).first(), label);
    },
    type: async (label, value) => main.getByLabel(label).first().fill(value),
    openAlarm: async (title, text = '') => {
      const rowOf = (): Locator => main.getByRole('row').filter({ hasText: title }).filter({ hasText: text });
      if ((await rowOf().count()) === 0) await click(page.getByRole('link', { name: /^Alarms/ }).first(), 'Alarms');
      await click(rowOf().first().getByRole('link', { name: title }).first(), title);
      await main.getByRole('heading', { level: 1, name: title }).waitFor();
    },
    sees: async (text) => {
      const found = main.getByText(text).first();
      await found.waitFor({ state: 'attached' }).catch(async () => {
        expect.fail(`The page ${page.url()} does not show ${text}:\n${await main.innerText()}`);
      });
    },
    close,
  };
}
