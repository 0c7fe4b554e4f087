/** Adds a copy button to every code sample. */

function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copyCode(block, button));
    block.append(button);
  }
}

const copiedMs = 2000;

async function copyCode(block: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const text = block.querySelector('code')?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without a secure context there is no clipboard: the code is selected, and the reader copies it.
    const range = document.createRange();
    range.selectNodeContents(block.querySelector('code') ?? block);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), copiedMs);
}
