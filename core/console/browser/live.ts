/**
 * Keeps the parts of a page that change by themselves up to date: the page is sent again as it changes. A form that was sent
 * says so until its answer is there, and is not sent twice.
 */

const parts = document.querySelectorAll('[data-live]');
const note = document.querySelector<HTMLElement>('[data-live-note]');
const heard = document.querySelector<HTMLElement>('[data-live-status]');
const button = document.querySelector<HTMLButtonElement>('[data-live-pause]');

let isPaused = false;
let stream: EventSource | undefined;

function say(text: string): void {
  if (note) note.textContent = text;
}

/** What a screen reader says: not that time goes on, but what is another by now. */
function announce(text: string): void {
  if (heard && heard.textContent !== text) heard.textContent = text;
}

/** Where somebody types, or has pressed something. */
function isInUse(part: Element): boolean {
  const { activeElement } = document;
  const isField = activeElement?.matches('input, select, textarea, button') === true;
  return (isField && part.contains(activeElement)) || part.querySelector('form[aria-busy=true]') !== null;
}

function textsIn(part: Element): readonly string[] {
  return [...part.querySelectorAll('[data-announce]')].map(({ textContent }) =>
    textContent.replace(/\s+/g, ' ').trim(),
  );
}

function take(text: string): void {
  const sent = document.createElement('template');
  sent.innerHTML = text;
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
    morph(shown, fresh);
    news.push(...textsIn(shown).filter((one) => one !== '' && !before.has(one)));
  }
  if (news.length > 0) announce(news.join(' '));
  const isWatched = [...parts].every((part) => part.hasAttribute('data-list'));
  const held = isHeld ? '; where you type or press, it waits' : '';
  const word = isWatched ? 'Looked for changes at' : 'Live,';
  say(`${word} ${new Date().toISOString().slice(11, 19)} UTC${held}`);
}

/** The address of the page, and what its list holds: so the server says when it holds something else. */
function addressOfStream(): string {
  const address = new URL(location.href);
  const list = document.querySelector<HTMLElement>('[data-list]')?.dataset['list'];
  if (list !== undefined) address.searchParams.set('list', list);
  return address.href;
}

function listen(): void {
  stream = new EventSource(addressOfStream());
  stream.addEventListener('page', ({ data }: MessageEvent<string>) => take(data));
  stream.addEventListener('over', () => {
    stream?.close();
    say('Not live any more: load the page again');
    announce('Not live any more: load the page again');
    if (button) button.hidden = true;
  });
  stream.addEventListener('error', () => {
    say('Not live: the connection is lost');
    announce('Not live: the connection is lost');
  });
}

function pause(): void {
  isPaused = !isPaused;
  stream?.close();
  if (button) button.textContent = isPaused ? 'Go on' : 'Pause';
  announce(isPaused ? 'Paused' : 'Live');
  if (isPaused) say('Paused');
  else listen();
}

if (parts.length > 0 && note && button) {
  button.hidden = false;
  button.addEventListener('click', pause);
  say('Live');
  listen();
}

const words = new Map<HTMLButtonElement, string>();

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (form.ariaBusy === 'true') {
    event.preventDefault();
    return;
  }
  form.ariaBusy = 'true';
  const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : form.querySelector('button');
  if (!pressed) return;
  words.set(pressed, pressed.textContent);
  pressed.textContent = 'One moment…';
});

/** The browser shows a page again as it was left. */
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  for (const form of document.forms) form.ariaBusy = null;
  for (const [pressed, text] of words) pressed.textContent = text;
});
