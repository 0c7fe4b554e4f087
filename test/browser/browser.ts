/** Runs a real Chromium: finds it, checks what every page must satisfy, and takes screenshots. */
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
    'Found no Chromium. Install it (Debian: apt-get install -y chromium fonts-noto-core), or set CHROMIUM_PATH to its program.',
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
  // Containers often run as root, where Chromium's sandbox does not work. The browser loads only our own pages here.
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
export const desk = { viewport: { width: 1280, height: 900 } } as const;
export const wideDesk = { viewport: { width: 1440, height: 900 } } as const;
/** Every page must be good in each of these. A page at desktop width is also looked at in the wide one. */
export const looks = {
  390: phone,
  1280: desk,
  'dark-390': { ...phone, colorScheme: 'dark' },
  'dark-1280': { ...desk, colorScheme: 'dark' },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** A page in its own browser context. Errors inside the page fail the test that closes it. */
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

/** Expects no findings of axe. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResult;
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
  expect(found, what).to.deep.equal([]);
}

/** Expects that the page does not scroll horizontally. */
export async function expectNoOverflow(page: Page, what: string): Promise<void> {
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(wider, `${what}: pixels that are too wide`).to.equal(0);
}

/**
 * On a wide page every button of a table must be visible, also those of its folded parts once they are open. On a
 * narrow page no table scrolls horizontally.
 */
export async function expectTablesInSight(page: Page, what: string): Promise<void> {
  const hidden = await page.evaluate(`(() => {
    const folded = [...document.querySelectorAll('td details:not([open])')];
    for (const one of folded) one.open = true;
    const found = [...document.querySelectorAll('.scroll:has(table)')].flatMap((place) => {
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
    });
    for (const one of folded) one.open = false;
    return found;
  })()`);
  expect(hidden, `${what}: out of sight`).to.deep.equal([]);
}

const folder = join(root, '.screenshots');

/** Saves a screenshot for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled' });
}

/** Expects a page without findings, at its width and, at desktop width, also in a wide window. */
export async function expectGoodPage(page: Page, name: string): Promise<void> {
  await takeScreenshot(page, name);
  await expectNothingWrong(page, name);
  if (page.viewportSize()?.width !== desk.viewport.width) return;
  await page.setViewportSize(wideDesk.viewport);
  await expectNothingWrong(page, `${name} in a wide window`);
  await page.setViewportSize(desk.viewport);
}

async function expectNothingWrong(page: Page, what: string): Promise<void> {
  await expectAccessible(page, what);
  await expectNoOverflow(page, what);
  await expectTablesInSight(page, what);
}
