/**
 * Sends a call of the reference with a test key, to this address only. A live key is refused here, before anything is
 * sent. Every call has its own Idempotency-Key, so the same form can be sent again.
 */

const testKey = /^gk_test_[\w-]+$/;
const keyName = 'docs-test-key';
const requestName = 'docs-payment-request';

function offerTry(): void {
  const panel = document.querySelector<HTMLElement>('.try');
  const form = panel?.querySelector('form');
  const output = panel?.querySelector('output');
  if (!panel || !form || !output) return;
  panel.hidden = false;
  for (const link of document.querySelectorAll<HTMLElement>('[data-try]')) link.hidden = false;
  const key = form.elements.namedItem('key');
  if (!(key instanceof HTMLInputElement)) return;
  // The key lasts until the tab is closed, so that the next page need not ask again.
  key.value = readStored(sessionStorage, keyName) ?? '';
  const id = form.querySelector<HTMLInputElement>('[data-keeps]');
  if (id) id.value = readStored(sessionStorage, requestName) ?? id.value;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(panel, form, key, output);
  });
}

async function send(
  panel: HTMLElement,
  form: HTMLFormElement,
  key: HTMLInputElement,
  output: HTMLOutputElement,
): Promise<void> {
  const given = key.value.trim();
  if (!testKey.test(given)) {
    say(
      output,
      given.startsWith('gk_live_')
        ? 'This page never sends a live key. Enter a test key (gk_test_…).'
        : 'Enter a test key: it begins with gk_test_.',
    );
    key.focus();
    return;
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined && !isJson(body)) {
    say(output, 'The body is not valid JSON.');
    form.querySelector('textarea')?.focus();
    return;
  }
  writeStored(sessionStorage, keyName, given);
  const button = form.querySelector('button');
  if (button) button.disabled = true;
  say(output, 'Sending…');
  const method = panel.dataset['method'] ?? 'GET';
  const idempotencyKey = method === 'POST' ? newKey() : undefined;
  const started = performance.now();
  try {
    const answer = await fetch(addressOf(panel, form), {
      method,
      headers: {
        Accept: 'application/json',
        'X-API-Key': given,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body }),
      credentials: 'omit',
      redirect: 'error',
    });
    const ms = Math.round(performance.now() - started);
    const requestId = answer.headers.get('X-Payment-Request-Id');
    if (requestId) writeStored(sessionStorage, requestName, requestId);
    const text = await answer.text();
    showAnswer(output, `${answer.status} ${answer.statusText}`.trim(), answer.ok, ms, idempotencyKey, text);
  } catch {
    say(output, 'The gateway did not answer.');
  } finally {
    if (button) button.disabled = false;
  }
}

/** The address below the root of the documentation's own service. */
function addressOf(panel: HTMLElement, form: HTMLFormElement): string {
  const path = (panel.dataset['path'] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = form.querySelector<HTMLInputElement>(`[data-in="path"][name="${name}"]`);
    return encodeURIComponent(field?.value.trim() ?? '');
  });
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-in="query"]')) {
    if (field.value.trim() !== '') query.set(field.name, field.value.trim());
  }
  const asked = query.toString();
  return `${rootAddress}${path.slice(1)}${asked === '' ? '' : `?${asked}`}`;
}

function say(output: HTMLOutputElement, text: string): void {
  output.replaceChildren(text);
}

function showAnswer(
  output: HTMLOutputElement,
  status: string,
  isGood: boolean,
  ms: number,
  idempotencyKey: string | undefined,
  text: string,
): void {
  const head = document.createElement('p');
  const badge = document.createElement('strong');
  badge.className = isGood ? 'good' : 'bad';
  badge.textContent = status;
  head.append(badge, ` in ${ms} ms`);
  if (idempotencyKey !== undefined) head.append(` · Idempotency-Key ${idempotencyKey}`);
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = document.createElement('code');
  code.textContent = pretty(text);
  pre.append(code);
  output.replaceChildren(head, pre);
  output.scrollIntoView({ block: 'nearest' });
}

/** Amounts keep their digits: a number with a decimal point is shown as it was sent. */
function pretty(text: string): string {
  const kept = text.replaceAll(/:\s*(-?\d+\.\d+(?:[eE][+-]?\d+)?)(?=[,}\]\s])/g, ':"\\u0000$1"');
  try {
    return JSON.stringify(JSON.parse(kept), null, 2).replaceAll(/"\\u0000([^"]+)"/g, '$1');
  } catch {
    return text;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `crypto.randomUUID` needs a secure context, which a gateway on a local network may lack. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `try-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
