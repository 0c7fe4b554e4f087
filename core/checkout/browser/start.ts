/** Prepares a page: first when it loads, and again each time the script shows another page. */

function startPage(): void {
  showLocalTimes();
  showTimeLeft();
  countDown();
  waitForEnd();
  startWatching();
  for (const form of document.querySelectorAll<HTMLFormElement>('form.pay')) {
    helpForm(form);
    helpSending(form);
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-way]')) keepTyped(link);
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => window.print());
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copyText(button));
  }
}

/** Copies the text of the button, or else the address of the page. */
async function copyText(button: HTMLButtonElement): Promise<void> {
  const { copy = '', copied = '' } = button.dataset;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(copy || window.location.href);
  } catch {
    return;
  }
  button.textContent = copied;
  announce(copied);
  window.setTimeout(() => (button.textContent = label), 2000);
}

/**
 * A challenge may end in a frame of the shop. The payer then continues in the top window. If that is forbidden, a
 * button remains.
 */
function leaveFrame(): void {
  if (window.top === window.self) {
    const form = document.getElementById('go');
    if (form instanceof HTMLFormElement) form.submit();
    return;
  }
  try {
    window.top?.location.replace(window.location.href);
  } catch {
    // The browser does not let the page leave its frame.
  }
}

if (document.body.dataset['moves'] !== undefined) leaveFrame();
stopReload();
document.body.append(news);
document.addEventListener('visibilitychange', () => void pollState());
window.addEventListener('pageshow', (event) => {
  if (event.persisted) void pollState();
});
startPage();
