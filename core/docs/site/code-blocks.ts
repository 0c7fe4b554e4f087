/** Shows code samples: one block, or several languages of the same sample as tabs that work without script. */
import { escapeHtml } from '../../html/escape-html.ts';
import { highlight } from './highlight.ts';

export interface CodeSample {
  /** The name of the tab, such as `Node.js`. */
  readonly title: string;
  /** The language of the fence, such as `js`. */
  readonly language: string;
  readonly code: string;
}

/** The script adds the copy button. Code that is wider than the page can be scrolled with the keyboard. */
export function renderCode({ language, code }: Pick<CodeSample, 'language' | 'code'>): string {
  return `<div class="code"><pre tabindex="0"><code>${highlight(code.trimEnd(), language)}</code></pre></div>`;
}

/** `name` is unique on the page: the browser keeps one radio button of that name checked. */
export function renderTabs(samples: readonly CodeSample[], name: string): string {
  const [only] = samples;
  if (only && samples.length === 1) return renderCode(only);
  const tabs = samples.map(({ title }, at) => {
    const id = `${name}-${at + 1}`;
    const checked = at === 0 ? ' checked' : '';
    const value = escapeHtml(title);
    return `<input type="radio" name="${name}" id="${id}" value="${value}"${checked}><label for="${id}">${value}</label>`;
  });
  const panes = samples.map((sample) => `<div class="pane">${renderCode(sample)}</div>`);
  return (
    `<fieldset class="tabs"><legend class="hidden">Language of the example</legend>${tabs.join('')}` +
    `${panes.join('')}</fieldset>`
  );
}

/** A sample that is rarely read whole, such as a long answer. */
export function renderFold(title: string, sample: Pick<CodeSample, 'language' | 'code'>, isOpen = false): string {
  return `<details class="fold"${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary>${renderCode(sample)}</details>`;
}
