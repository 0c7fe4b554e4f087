/**
 * What a script adds to the components of every page: times in the reader's zone, buttons that copy, and forms that say
 * that they are busy and are not sent twice.
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const dayParts = { day: 'numeric', month: 'short' } as const;
const clockParts = { hour: '2-digit', minute: '2-digit' } as const;
const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...parts, hourCycle: 'h23' });
const thisYear = format({ ...dayParts, ...clockParts });
const otherYear = format({ ...dayParts, year: 'numeric', ...clockParts });
const toSecond = format({ ...dayParts, year: 'numeric', ...clockParts, second: '2-digit' });
const toMillisecond = format({
  ...dayParts,
  year: 'numeric',
  ...clockParts,
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const clockTime = format(clockParts);
const clockToSecond = format({ ...clockParts, second: '2-digit' });
const withZone = format({ ...dayParts, year: 'numeric', ...clockParts, second: '2-digit', timeZoneName: 'short' });

/** The time since then for a day, and the local date and time before and after that. `counts`: also within a minute. */
function relativeText(at: Date, now: Date, counts: boolean): string {
  const ms = now.getTime() - at.getTime();
  const distance = Math.abs(ms);
  const date = at.getFullYear() === now.getFullYear() ? thisYear : otherYear;
  if (distance >= dayMs) return date.format(at).replaceAll(' ', '\u00a0');
  if (distance < minuteMs && !counts) return ms >= 0 ? 'just\u00a0now' : 'in\u00a0a\u00a0moment';
  const [size, unit] = distance < minuteMs ? [1000, 's'] : distance < hourMs ? [minuteMs, 'min'] : [hourMs, 'h'];
  const count = distance / size;
  const text = `${Math.floor(count)}\u00a0${unit}`;
  return ms >= 0 ? `${text}\u00a0ago` : `in\u00a0${text}`;
}

/** The server writes the time in UTC. It stays visible on hover. */
function showTimes(part: ParentNode, now = new Date()): void {
  for (const element of part.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const utc = (element.dataset['utc'] ??= element.textContent.trim());
    element.title = `${withZone.format(at)}\n${utc}`;
    const isPrecise = /\.\d{3}/.test(utc);
    if (element.dataset['clock'] !== undefined) {
      element.textContent = clockTime.format(at);
      continue;
    }
    const isExact = element.dataset['exact'] !== undefined;
    const counts = element.dataset['seconds'] !== undefined;
    const text = isExact ? (isPrecise ? toMillisecond : toSecond).format(at) : relativeText(at, now, counts);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Charts cannot contain time elements. Their zone is named once. */
function showChartTimes(part: ParentNode): void {
  for (const element of part.querySelectorAll<SVGElement>('[data-clock-at]'))
    element.textContent = clockTime.format(new Date(element.dataset['clockAt'] ?? ''));
  for (const element of part.querySelectorAll<SVGElement>('[data-clock-zone]')) element.textContent = '';
  // The time of a mark begins its text.
  for (const element of part.querySelectorAll<SVGElement>('[data-clock]')) {
    const at = new Date(element.dataset['clock'] ?? '');
    const text = element.textContent.replace(/^\d\d:\d\d:\d\d UTC/, () => clockToSecond.format(at));
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Browsers offer the clipboard only to pages with TLS, and to pages of this machine. */
function showCopyButtons(part: ParentNode): void {
  if (!('clipboard' in navigator)) return;
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[data-copy]')) button.hidden = false;
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const label = button.textContent;
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
    () => (button.textContent = 'Copied'),
    () => (button.textContent = 'Copy it by hand'),
  );
  setTimeout(() => (button.textContent = label), 2000);
}

/** The field that sorts a table needs no button: it submits when it changes. */
function hideSortButtons(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('form.sort button')) button.hidden = true;
}

function enhance(part: ParentNode): void {
  showTimes(part);
  showChartTimes(part);
  showCopyButtons(part);
  hideSortButtons(part);
}

enhance(document);
setInterval(() => showTimes(document), document.querySelector('time[data-seconds]') ? 1000 : 15_000);

for (const note of document.querySelectorAll('[data-zone]')) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  note.textContent = `Times are in your time zone, ${zone.replaceAll('_', ' ')}. Point at a time to see it in UTC.`;
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[data-copy]') : null;
  if (button) void copyFrom(button);
});

/** A form that a button has opened closes with Escape, and with a click next to it. */
function closeMenus(except: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.drop[open]'))
    if (!except || !menu.contains(except)) menu.open = false;
}

document.addEventListener('click', ({ target }) => closeMenus(target as Node));
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape') return;
  const menu = target instanceof Element ? target.closest('details.drop[open]') : null;
  closeMenus(null);
  menu?.querySelector('summary')?.focus();
});

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement) target.closest<HTMLFormElement>('form.sort')?.requestSubmit();
});

const labels = new Map<HTMLButtonElement, string>();

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (form.ariaBusy === 'true') {
    event.preventDefault();
    return;
  }
  form.ariaBusy = 'true';
  const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : form.querySelector('button');
  if (!pressed) return;
  labels.set(pressed, pressed.textContent);
  pressed.textContent = 'One moment…';
});

/** When the user navigates back, the browser may show the page with its forms still marked as busy. */
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.forms) form.ariaBusy = null;
  for (const [pressed, text] of labels) pressed.textContent = text;
});
