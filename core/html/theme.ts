/** The variables of every page: colours for light and dark. A style sheet of pages begins with this text. */
import { readFileSync } from 'node:fs';

/** The source: style sheets are not copied to the compiled files. */
const source = new URL('../../../core/html/theme.css', import.meta.url);

export function themeCss(): string {
  return readFileSync(source, 'utf8');
}
