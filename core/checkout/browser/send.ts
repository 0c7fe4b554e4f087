/** Sends the form once, and keeps its values if the connection drops. */

/** The header that a browser sends for a page. The issuer's 3D Secure receives it too. */
const pageTypes = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function markBusy(form: HTMLFormElement, isBusy: boolean): void {
  const button = form.querySelector<HTMLButtonElement>('button.main');
  const label = button?.querySelector('span');
  if (!button || !label) return;
  button.dataset['label'] ??= label.textContent ?? '';
  label.textContent = (isBusy ? document.body.dataset['sending'] : button.dataset['label']) ?? '';
  button.setAttribute('aria-disabled', String(isBusy));
  form.setAttribute('aria-busy', String(isBusy));
}

function showLost(form: HTMLFormElement, isLost: boolean): void {
  form.querySelector('[data-lost]')?.remove();
  if (!isLost) return;
  const alert = document.createElement('p');
  alert.className = 'alert';
  alert.dataset['lost'] = '';
  alert.setAttribute('role', 'alert');
  alert.textContent = document.body.dataset['noConnection'] ?? '';
  form.querySelector('button.main')?.before(alert);
}

/** The fields that issuers want to know about a device for 3D Secure. They challenge fewer payers on a known device. */
function deviceFields(): [name: string, value: string][] {
  const { colorDepth, height, width } = window.screen;
  const device = { colorDepth, screenHeight: height, screenWidth: width, timezone: new Date().getTimezoneOffset() };
  return Object.entries(device).map(([name, value]) => [name, String(value)]);
}

const MAX_TRIES = 20;

/** False if the server is unavailable, or limits the rate: the form can then be sent again with the same values. */
function isFinal({ status }: Response, shown: Document): boolean {
  return (status < 500 && status !== 429) || shown.querySelector('form.pay') !== null;
}

/**
 * The form names the attempt that it starts, so it is processed once, however often it arrives. A form that may have
 * been lost can therefore be sent again.
 */
async function sendForm(form: HTMLFormElement): Promise<void> {
  const body = new URLSearchParams(deviceFields());
  new FormData(form).forEach((value, name) => typeof value === 'string' && body.append(name, value));
  for (let tries = 1; tries <= MAX_TRIES && form.isConnected; tries += 1) {
    try {
      const reply = await fetch(form.action, { method: 'POST', body, headers: { Accept: pageTypes } });
      const shown = await readPage(reply);
      if (shown && isFinal(reply, shown)) return showPage(shown, reply.status < 400 ? reply.url : window.location.href);
    } catch {
      // The connection dropped. It is reported below, like a server that does not answer.
    }
    showLost(form, true);
    await new Promise((resolve) => window.setTimeout(resolve, Math.min(1000 * tries, 10_000)));
  }
}

function helpSending(form: HTMLFormElement): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.getAttribute('aria-busy') === 'true' || !checkForm(form)) return;
    markBusy(form, true);
    showLost(form, false);
    void sendForm(form).finally(() => markBusy(form, false));
  });
}
