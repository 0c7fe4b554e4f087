/**
 * Renders the subset of CommonMark that the texts of the OpenAPI document use: paragraphs, lists, `code` and
 * [links](…).
 */
import { escapeHtml } from '../html/escape-html.ts';

/** Renders paragraphs and lists. */
export function renderMarkdown(source: string): string {
  return source
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n');
      const items = lines
        .filter((line) => line.startsWith('- '))
        .map((line) => `<li>${renderInline(line.slice(2))}</li>`);
      const words = lines.filter((line) => !line.startsWith('- ')).map(renderInline);
      const list = items.length > 0 ? `<ul>${items.join('')}</ul>` : '';
      return (words.length > 0 ? `<p>${words.join('<br>')}</p>` : '') + list;
    })
    .join('');
}

/** Renders one line. */
export function renderInline(source: string): string {
  return escapeHtml(source)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^[\]]+)\]\(([^)[\s]+)\)/g, '<a href="$2">$1</a>');
}
