/** A real Chromium for the payer's page: where it is found, what every page is held to, and pictures of it. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { expect } from 'chai';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { root } from '../support/start-gateway.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findChromium(): string {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const places = CHROMIUM_PATH
    ? [CHROMIUM_PATH]
    : PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = places.find(isExecutable);
  if (found) return found;
  throw new Error(
    'no Chromium was found: install one (Debian: apt-get install -y chromium fonts-noto-core), or name its program in CHROMIUM_PATH',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function launchBrowser(): Promise<Browser> {
  // Containers often run as root, where Chromium's sandbox does not work; it loads nothing but our own pages here.
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
export const desk = { viewport: { width: 1280, height: 900 } } as const;

/** A page in a context of its own; what goes wrong inside it fails the test that closes it. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly close: () => Promise<void>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Lisbon', ...desk, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) errors.push(message.text());
  });
  return {
    page,
    context,
    close: async () => {
      await context.close();
      expect(errors, 'errors inside the page').to.deep.equal([]);
    },
  };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** axe finds nothing. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResult;
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
  expect(found, what).to.deep.equal([]);
}

/** Nothing has to be scrolled sideways. */
export async function expectNoOverflow(page: Page, what: string): Promise<void> {
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(wider, `${what}: pixels that are too wide`).to.equal(0);
}

/** Where the page is wide, every button of a table is in sight; where it is narrow, no table is scrolled sideways. */
export async function expectTablesInSight(page: Page, what: string): Promise<void> {
  const hidden = await page.evaluate(`[...document.querySelectorAll('.scroll:has(table)')].flatMap((place) => {
    const { left, right } = place.getBoundingClientRect();
    const clipped = [...place.querySelectorAll('button, input:not([type=hidden]), select')].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 0 && (box.right > right + 1 || box.left < left - 1 || box.right > innerWidth);
    });
    const isWider = (one) => one.scrollWidth > one.clientWidth + 1;
    const isCovered = (cell) => {
      const [box, next] = [cell, cell.nextElementSibling].map((one) => one?.getBoundingClientRect());
      return next && next.top === box.top && next.width > 0 && box.right > next.left + 1;
    };
    const cells = [...place.querySelectorAll('td')];
    const isScrolled = innerWidth < 600 && ([place, ...cells].some(isWider) || cells.some(isCovered));
    return [...clipped.map((one) => one.textContent || one.name), ...(isScrolled ? [place.getAttribute('aria-label')] : [])];
  })`);
  expect(hidden, `${what}: out of sight`).to.deep.equal([]);
}

const folder = join(root, '.screenshots');

/** Pictures stay for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled' });
}
