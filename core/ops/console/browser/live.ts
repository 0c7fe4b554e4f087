/**
 * Keeps the parts of a page that change by themselves up to date: the page is sent again as it changes. A form that was sent
 * says so until its answer is there, and is not sent twice.
 */

const parts = document.querySelectorAll('[data-live]');
const note = document.querySelector<HTMLElement>('[data-live-note]');
const button = document.querySelector<HTMLButtonElement>('[data-live-pause]');

let isPaused = false;
let stream: EventSource | undefined;

function say(text: string): void {
  if (note) note.textContent = text;
}

/** Not where somebody types, has pressed something, or has opened a part. */
function isInUse(part: Element): boolean {
  return part.contains(document.activeElement) && document.activeElement !== document.body;
}

function take(text: string): void {
  const sent = document.createElement('template');
  sent.innerHTML = text;
  for (const fresh of sent.content.querySelectorAll('[data-live]')) {
    const shown = document.getElementById(fresh.id);
    if (!shown || isInUse(shown)) continue;
    const open = [...shown.querySelectorAll('details')].map(({ open }) => open);
    shown.replaceChildren(...fresh.childNodes);
    for (const [at, details] of [...shown.querySelectorAll('details')].entries()) details.open = open[at] ?? false;
  }
  say(`Live, ${new Date().toISOString().slice(11, 19)} UTC`);
}

function listen(): void {
  stream = new EventSource(location.href);
  stream.addEventListener('page', ({ data }: MessageEvent<string>) => take(data));
  stream.addEventListener('over', () => {
    stream?.close();
    say('Not live any more: load the page again');
    if (button) button.hidden = true;
  });
  stream.addEventListener('error', () => say('Not live: the connection is lost'));
}

function pause(): void {
  isPaused = !isPaused;
  stream?.close();
  if (button) button.textContent = isPaused ? 'Go on' : 'Pause';
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
