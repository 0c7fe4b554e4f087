/**
 * Polls the state of the payment while the page is open, less and less often, and reloads the page when something
 * changed.
 */

/** The page waits for a change when it is loaded. Without this script it would reload automatically. */
const lateReload = document.querySelector('head > meta[http-equiv=refresh]:not([content*="url="])');
const loadsItself = lateReload !== null;

/** Some browsers keep a scheduled reload even after its element is removed. */
function stopReload(): void {
  if (!loadsItself) return;
  lateReload?.remove();
  window.addEventListener('load', () => window.stop());
}

const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 15_000;
let watchTimer = 0;
let watchWaitMs = FIRST_WAIT_MS;

/** True if the page would show something else now. */
async function hasChanged(): Promise<boolean> {
  const { watch, stamp } = document.body.dataset;
  if (watch === undefined) return false;
  const reply = await fetch(new URL(watch, window.location.href), { headers: { Accept: 'application/json' } });
  if (!reply.ok) return false;
  const { stamp: latest } = (await reply.json()) as { readonly stamp: string };
  return latest !== stamp && stamp === document.body.dataset['stamp'];
}

async function pollState(): Promise<void> {
  const isSending = document.querySelector('form[aria-busy=true]') !== null;
  if (document.hidden || isSending) return;
  try {
    if (!(await hasChanged())) announce('');
    // The page may redirect to the shop, where a script cannot follow. A page that reloads automatically never has a
    // form.
    else if (loadsItself || document.body.dataset['moves'] !== undefined) window.location.replace(window.location.href);
    else await loadPage();
  } catch {
    announce(document.body.dataset['noConnection'] ?? '');
  }
}

/** A form that is being filled in is not replaced until the payer returns to the page. */
function startWatching(): void {
  window.clearTimeout(watchTimer);
  watchWaitMs = FIRST_WAIT_MS;
  const { watch, seconds } = document.body.dataset;
  if (watch !== undefined && seconds !== undefined) watchNext();
}

function watchNext(): void {
  window.clearTimeout(watchTimer);
  watchTimer = window.setTimeout(() => {
    const { stamp } = document.body.dataset;
    void pollState().finally(() => {
      watchWaitMs = Math.min(watchWaitMs * 1.1, LONGEST_WAIT_MS);
      if (stamp === document.body.dataset['stamp']) watchNext();
    });
  }, watchWaitMs);
}
