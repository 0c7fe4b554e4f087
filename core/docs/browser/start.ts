/** Starts the parts of the script. */

/** Before the documentation had several pages, its anchors were all on `/docs`. */
function followOldAnchor(): void {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === '' || document.getElementById(id) !== null || !location.pathname.endsWith('/docs')) return;
  location.replace(`${rootAddress}docs/api${location.hash}`);
}

/** Marks the section that is being read in the list of sections. */
function followSections(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.sections a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  if (headings.length === 0) return;
  const mark = (): void => {
    const top = 120;
    const current = headings.findLast((heading) => heading.getBoundingClientRect().top < top) ?? headings[0];
    for (const [id, link] of links) {
      if (id === current?.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  let isWaiting = false;
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

/** On a low screen the current page may be below the edge of the list of pages. */
function showCurrentPage(): void {
  const list = document.querySelector<HTMLElement>('.side');
  const current = list?.querySelector<HTMLElement>('[aria-current="page"]');
  if (!list || !current) return;
  const hidden = current.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom + fadedPixels;
  if (hidden > 0) list.scrollTop += hidden;
}

const fadedPixels = 80;

/** A popover stays open after a link inside the page was followed. */
function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLElement>('nav[popover]')) {
    menu.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('a') && menu.matches(':popover-open')) menu.hidePopover();
    });
  }
}

followOldAnchor();
addCopyButtons();
followLanguage();
searchWhileTyping();
followSections();
showCurrentPage();
closeMenus();
offerTry();
