/** Changes the picture of the payer's page while the name and the colour of a merchant are typed. */

const preview = document.querySelector<HTMLElement>('[data-preview]');

function showBrand(name: string, colour: string): void {
  const shown = name.trim() || (preview?.dataset['preview'] ?? '');
  for (const text of preview?.querySelectorAll('[data-preview-name]') ?? []) text.textContent = shown;
  for (const text of preview?.querySelectorAll('[data-preview-initial]') ?? [])
    text.textContent = shown.slice(0, 1).toUpperCase();
  for (const shape of preview?.querySelectorAll('.accent') ?? []) {
    if (/^#[\da-f]{6}$/i.test(colour)) shape.setAttribute('fill', colour);
    else if (colour === '') shape.removeAttribute('fill');
  }
}

document.addEventListener('input', ({ target }) => {
  if (!preview || !(target instanceof HTMLInputElement)) return;
  const value = (field: string): string =>
    (target.form?.elements.namedItem(field) as HTMLInputElement | null)?.value ?? '';
  showBrand(value('displayName'), value('colour'));
});
