/** Shows results while the reader types. Without script the form leads to the page of results. */

interface Found {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly excerpt: string;
}

const typingPauseMs = 120;
const rootAddress = document.body.dataset['root'] ?? '/';

function searchWhileTyping(): void {
  const form = document.querySelector<HTMLFormElement>('form[role="search"]');
  const field = form?.querySelector('input');
  if (!form || !field) return;
  const list = document.createElement('ul');
  list.className = 'results';
  list.hidden = true;
  form.append(list);
  const status = document.createElement('p');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  form.append(status);

  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = '';
  const close = (): void => {
    list.hidden = true;
  };
  const show = async (): Promise<void> => {
    const query = field.value.trim();
    asked = query;
    if (query.length < 2) return close();
    const address = `${form.action}?${new URLSearchParams({ q: query }).toString()}`;
    const answer = await fetch(address, { headers: { Accept: 'application/json' } }).catch(() => undefined);
    // A slow answer to an earlier text is not shown.
    if (!answer?.ok || asked !== query) return;
    const { results } = (await answer.json()) as { readonly results: readonly Found[] };
    list.replaceChildren(...results.map(toItem));
    list.hidden = results.length === 0;
    status.textContent = results.length === 1 ? '1 result' : `${results.length} results`;
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), typingPauseMs);
  });
  form.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    if (event.key === 'Escape') {
      close();
      field.focus();
    }
    if (list.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    const at = links.findIndex((link) => link === document.activeElement);
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (links[next] ?? field).focus();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !form.contains(relatedTarget)) close();
  });
  // The key that leads to the search on most documentation sites.
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

function toItem({ path, page, title, excerpt }: Found): HTMLLIElement {
  const link = document.createElement('a');
  link.href = rootAddress + path.slice(1);
  const name = document.createElement('strong');
  name.textContent = title;
  const where = document.createElement('small');
  where.textContent = title === page ? excerpt : `${page} · ${excerpt}`;
  link.append(name, where);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
