/** Shows times by the payer's clock, and the time that is left. */

const clockTimers = new Set<number>();

function everySecond(tick: () => boolean): void {
  if (!tick()) return;
  const timer = window.setInterval(() => {
    if (tick()) return;
    window.clearInterval(timer);
    clockTimers.delete(timer);
  }, 1000);
  clockTimers.add(timer);
}

function stopClocks(): void {
  clockTimers.forEach((timer) => window.clearInterval(timer));
  clockTimers.clear();
}

/** Shows times in the payer's time zone. The server knows only its own. */
function showLocalTimes(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.dataset['locale'], {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  for (const time of document.querySelectorAll('time')) {
    const { own, form } = time.dataset;
    const at = new Date(time.dateTime);
    if (own === undefined || form === undefined) time.textContent = format.format(at);
    else time.textContent = own.replace('{time}', ownFormat(form).format(at));
  }
}

/** The form of a deadline, in the payer's time zone. */
function ownFormat(form: string): Intl.DateTimeFormat {
  const options = JSON.parse(form) as Intl.DateTimeFormatOptions;
  return new Intl.DateTimeFormat(document.documentElement.dataset['locale'], options);
}

/** Formats `14:59`, with hours if there are any. */
function writeTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  // Uses the same digits as the times next to it.
  const format = new Intl.NumberFormat(document.documentElement.dataset['locale'], {
    minimumIntegerDigits: 2,
    useGrouping: false,
  });
  return shown.map((part) => format.format(part)).join(':');
}

/** Calculates with the server's clock: the payer's may be wrong. */
function showTimeLeft(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-left]')) {
    const end = performance.now() + Number(element.dataset['left']) * 1000;
    const clock = element.querySelector('[data-clock]');
    element.hidden = false;
    everySecond(() => {
      const left = end - performance.now();
      if (clock) clock.textContent = writeTimeLeft(left);
      return left > 0;
    });
  }
}

/** Asks for the present page once nothing can be paid here any more, until the server has noticed it too. */
function waitForEnd(): void {
  const { stamp, expires } = document.body.dataset;
  if (expires === undefined) return;
  const timer = window.setTimeout(
    () => {
      clockTimers.delete(timer);
      if (stamp === document.body.dataset['stamp']) void pollState().finally(watchNext);
    },
    (Number(expires) + 1) * 1000,
  );
  clockTimers.add(timer);
}

/** Continues to the next page after a visible countdown, unless the payer chooses to stay. */
function countDown(): void {
  const { go, seconds } = document.body.dataset;
  const shown = document.querySelector<HTMLElement>('[data-countdown]');
  if (go === undefined || !shown || seconds === undefined) return;
  const { locale } = document.documentElement.dataset;
  const [rules, format] = [new Intl.PluralRules(locale), new Intl.NumberFormat(locale)];
  const forms = JSON.parse(shown.dataset['countdown'] ?? '{}') as Record<string, string>;
  const end = performance.now() + Number(seconds) * 1000;
  let isStaying = false;
  document.querySelector('[data-stay]')?.addEventListener('click', (event) => {
    event.preventDefault();
    isStaying = true;
    shown.closest('[data-leaves]')?.remove();
  });
  everySecond(() => {
    if (isStaying) return false;
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    const form = forms[rules.select(left)] ?? forms['other'] ?? '{count}';
    shown.textContent = form.replace('{count}', format.format(left));
    if (left === 0) window.location.assign(go);
    return left > 0;
  });
}
