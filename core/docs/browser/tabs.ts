/** Selects the same language in all examples, and remembers it. Without script each example has its own selection. */

const languageKey = 'docs-language';

function followLanguage(): void {
  const known = readStored(localStorage, languageKey);
  if (known !== null) selectLanguage(known);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.tabs > input')) return;
    selectLanguage(target.value);
    writeStored(localStorage, languageKey, target.value);
  });
}

function selectLanguage(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.tabs > input')) {
    if (input.value === language) input.checked = true;
  }
}

/** A browser may refuse storage. */
function readStored(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(name);
  } catch {
    return null;
  }
}

function writeStored(storage: Storage, name: string, value: string): void {
  try {
    storage.setItem(name, value);
  } catch {
    // The choice lasts for this page.
  }
}
