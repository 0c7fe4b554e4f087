/** Updates the live parts of an open page: the server sends the page again when it changes. */

/** Defined by the library in front of this script. */
declare const Idiomorph: (typeof import('idiomorph'))['Idiomorph'];
/** Defined by the script of the components. */
declare function enhance(part: ParentNode): void;

const parts = document.querySelectorAll('[data-live]');
const note = document.querySelector<HTMLElement>('[data-live-note]');
const heard = document.querySelector<HTMLElement>('[data-live-status]');
const button = document.querySelector<HTMLButtonElement>('[data-live-pause]');

let isPaused = false;
let stream: EventSource | undefined;

function say(text: string): void {
  if (note) note.textContent = text;
}

/** Announces changes to screen readers, but not the passing time. */
function announce(text: string): void {
  if (heard && heard.textContent !== text) heard.textContent = text;
}

/** True while the user types in the part, waits for the response of one of its forms, or reads why it was refused. */
function isInUse(part: Element): boolean {
  const { activeElement } = document;
  const isField = activeElement?.matches('input, select, textarea, button') === true;
  const isForm = part.querySelector('form[aria-busy=true], form[data-refused]') !== null;
  return (isField && part.contains(activeElement)) || isForm;
}

/** Without the texts of times, because "12 min ago" changes although nothing happened. */
function textsIn(part: Element): readonly string[] {
  return [...part.querySelectorAll('[data-announce]')].map((element) => {
    const copy = element.cloneNode(true) as Element;
    for (const time of copy.querySelectorAll('time')) time.textContent = time.title;
    return copy.textContent.replace(/\s+/g, ' ').trim();
  });
}

function update(text: string): void {
  const sent = document.createElement('template');
  sent.innerHTML = text;
  enhance(sent.content);
  const news: string[] = [];
  let isHeld = false;
  for (const fresh of sent.content.querySelectorAll('[data-live]')) {
    const shown = document.getElementById(fresh.id);
    if (!shown) continue;
    if (isInUse(shown)) {
      isHeld = true;
      continue;
    }
    const before = new Set(textsIn(shown));
    morphPart(shown, fresh);
    news.push(...textsIn(shown).filter((one) => one !== '' && !before.has(one)));
  }
  if (news.length > 0) announce(news.join(' '));
  // What the page showed is over, and another page continues it.
  const next = document.querySelector<HTMLAnchorElement>('[data-live] a[data-leads-to]');
  if (next) location.replace(next.href);
  const isWatched = [...parts].every((part) => part.hasAttribute('data-list'));
  const held = isHeld ? '; the part that you use is not updated' : '';
  const done = isWatched ? 'Checked for changes at' : 'Updated at';
  say(`${done} ${new Date().toLocaleTimeString('en-GB')}${held}`);
}

/** Updates the content of a part. The attributes of the part itself stay: they name the list that the page shows. */
function morphPart(shown: Element, fresh: Element): void {
  const focus = focusIn(shown);
  // Returns a promise only if it morphs the head of a document.
  void Idiomorph.morph(shown, [...fresh.childNodes], {
    morphStyle: 'innerHTML',
    callbacks: { beforeAttributeUpdated: (name, element) => !isUserState(name, element) },
  });
  if (focus) keepFocus(shown, focus);
}

/** State that the user changed in the browser and the server does not know: open sections and entered values. */
function isUserState(name: string, element: Element): boolean {
  if (name === 'open') return true;
  return element.matches('input:not([type=hidden]), textarea, option') && /^(value|checked|selected)$/.test(name);
}

interface Focus {
  readonly element: Element;
  readonly href: string | null;
}

function focusIn(part: Element): Focus | undefined {
  const element = document.activeElement;
  return element && part.contains(element) ? { element, href: element.getAttribute('href') } : undefined;
}

/** The focus follows a link into another row. It never stays on an element that now leads to another address. */
function keepFocus(part: Element, { element, href }: Focus): void {
  if (href === null || (element.isConnected && element.getAttribute('href') === href)) return;
  const link = [...part.querySelectorAll<HTMLElement>('a[href]')].find((one) => one.getAttribute('href') === href);
  if (link) link.focus({ preventScroll: true });
  else if (element instanceof HTMLElement) element.blur();
}

/**
 * The address of the page with the state of its list, so that the server can report when the list has changed. A page
 * that answers a form has the address of the form, and names its own.
 */
function addressOfStream(): string {
  const own = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href;
  const address = new URL(own ?? location.href);
  const list = document.querySelector<HTMLElement>('[data-list]')?.dataset['list'];
  if (list !== undefined) address.searchParams.set('list', list);
  return address.href;
}

function listen(): void {
  stream = new EventSource(addressOfStream());
  stream.addEventListener('page', ({ data }: MessageEvent<string>) => update(data));
  stream.addEventListener('over', () => {
    stream?.close();
    say('Updates have stopped: reload the page');
    announce('Updates have stopped: reload the page');
    if (button) button.hidden = true;
  });
  stream.addEventListener('error', () => {
    say('Not updating: the connection is lost');
    announce('Not updating: the connection is lost');
  });
}

function pause(): void {
  isPaused = !isPaused;
  stream?.close();
  if (button) button.textContent = isPaused ? 'Resume' : 'Pause';
  announce(isPaused ? 'Paused' : 'Updates itself');
  if (isPaused) say('Paused');
  else listen();
}

if (parts.length > 0 && note && button) {
  button.hidden = false;
  button.addEventListener('click', pause);
  say('Updates itself');
  listen();
}
