/** Replaces this page of the payment by another one, and announces it to screen readers. */

const news = document.createElement('p');
news.className = 'hidden';
news.setAttribute('role', 'status');

function announce(text: string): void {
  news.textContent = text;
}

/** What the payer typed into the forms of this page: in memory only, as the card's fields are among it. */
const typedValues = new Map<string, string>();

/**
 * True for a page that redirects, or whose form leads to another site: the browser loads it, because the policies of
 * the present page do not allow that.
 */
function isRedirectPage(shown: Document): boolean {
  return shown.querySelector('head > meta[http-equiv=refresh][content*="url="], #go, form[target=_top]') !== null;
}

async function readPage(reply: Response): Promise<Document | undefined> {
  const isPage = (reply.headers.get('Content-Type') ?? '').startsWith('text/html');
  return isPage ? new DOMParser().parseFromString(await reply.text(), 'text/html') : undefined;
}

function showPage(shown: Document, address: string): void {
  if (isRedirectPage(shown) || new URL(address).origin !== window.location.origin) {
    window.location.replace(address);
    return;
  }
  stopClocks();
  if (address !== window.location.href) window.history.replaceState(null, '', address);
  const { body } = document;
  for (const name of body.getAttributeNames()) body.removeAttribute(name);
  for (const { name, value } of shown.body.attributes) body.setAttribute(name, value);
  document.title = shown.title;
  body.replaceChildren(...shown.body.childNodes, news);
  window.scrollTo(0, 0);
  if (!document.querySelector('form.pay')) typedValues.clear();
  startPage();
  const invalid = document.querySelector<HTMLElement>('[aria-invalid=true]');
  const heading = document.querySelector<HTMLElement>('main h1, main h2');
  if (invalid) invalid.focus();
  else heading?.focus();
  announce(document.querySelector('[role=alert]') ? '' : (heading?.textContent ?? ''));
}

function rememberTyped(): void {
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('.field input, .field select'))
    if (field.value !== '') typedValues.set(field.name, field.value);
}

function fillInTyped(): void {
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('.field input, .field select')) {
    const value = typedValues.get(field.name);
    // A country may be chosen already, because the browser suggests it.
    if (value === undefined || (field.value !== '' && field.name !== 'country')) continue;
    field.value = value;
    field.dispatchEvent(new Event('input'));
    if (field.name === 'country') field.dispatchEvent(new Event('change'));
  }
}

/** Another way to pay is shown without loading the page, so that nothing that was typed is lost. */
function keepTyped(link: HTMLAnchorElement): void {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    rememberTyped();
    void showOther(link.href).catch(() => window.location.assign(link.href));
  });
}

async function showOther(address: string): Promise<void> {
  const reply = await fetch(address, { headers: { Accept: 'text/html' } });
  const shown = await readPage(reply);
  if (!reply.ok || !shown) return window.location.assign(address);
  showPage(shown, reply.url);
  fillInTyped();
  document.querySelector<HTMLElement>('.way.open > h3')?.focus();
}

/** Loads the current state of the page, whatever its address was for. */
async function loadPage(): Promise<void> {
  const reply = await fetch(window.location.href, { headers: { Accept: 'text/html' } });
  const shown = await readPage(reply);
  if (reply.ok && shown) showPage(shown, reply.url);
}
