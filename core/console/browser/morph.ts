/**
 * Brings a part of the page to what was sent anew, and changes nothing else of it: what has the focus keeps it, what
 * was opened stays open, and what was scrolled stays where it is.
 */

/** What who looks changed, and the server knows nothing of. */
const own: ReadonlySet<string> = new Set(['open']);

function morph(shown: Element, fresh: Element): void {
  const before = focusIn(shown);
  morphChildren(shown, fresh);
  if (before) keepFocus(shown, before);
}

function morphChildren(shown: Element, fresh: Element): void {
  const [old, sent] = [[...shown.childNodes], [...fresh.childNodes]];
  for (const [at, node] of sent.entries()) {
    const there = old[at];
    if (!there) shown.append(node);
    else if (there instanceof Element && node instanceof Element && there.tagName === node.tagName) {
      morphAttributes(there, node);
      morphChildren(there, node);
    } else if (there instanceof Text && node instanceof Text) {
      if (there.data !== node.data) there.data = node.data;
    } else there.replaceWith(node);
  }
  for (const node of old.slice(sent.length)) node.remove();
}

function morphAttributes(shown: Element, fresh: Element): void {
  for (const { name } of Array.from(shown.attributes))
    if (!own.has(name) && !fresh.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!own.has(name) && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
}

interface Focus {
  readonly element: Element;
  readonly href: string | null;
}

function focusIn(part: Element): Focus | undefined {
  const element = document.activeElement;
  return element && part.contains(element) ? { element, href: element.getAttribute('href') } : undefined;
}

/** A row that moved takes the focus along: nobody follows a link that was another one a moment ago. */
function keepFocus(part: Element, { element, href }: Focus): void {
  if (href === null || (element.isConnected && element.getAttribute('href') === href)) return;
  const link = [...part.querySelectorAll<HTMLElement>('a[href]')].find((one) => one.getAttribute('href') === href);
  if (link) link.focus({ preventScroll: true });
  else if (element instanceof HTMLElement) element.blur();
}
