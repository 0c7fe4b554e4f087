/** A small chart of the last hour: a bar for each minute, with the same in words. */
import { html, type SafeHtml } from '@remix-run/html-template';

const [width, height, gap] = [240, 48, 1];

/** `label` says what is counted; the last value is of the latest minute. */
export function barChart(label: string, values: readonly number[]): SafeHtml {
  const most = Math.max(1, ...values);
  const step = width / values.length;
  const text = `${label}, each of the last ${values.length} minutes: latest ${values.at(-1) ?? 0}, most ${Math.max(0, ...values)}`;
  return html`<svg
    class="bars"
    viewBox="0 0 ${width} ${height}"
    role="img"
    aria-label="${text}"
    preserveAspectRatio="none"
  >
    ${values.map((value, at) => {
      const tall = value === 0 ? 1 : Math.max(2, (value / most) * height);
      return html`<rect
        x="${(at * step).toFixed(2)}"
        y="${(height - tall).toFixed(2)}"
        width="${(step - gap).toFixed(2)}"
        height="${tall.toFixed(2)}"
        class="${value === 0 ? 'none' : 'bar'}"
      />`;
    })}
  </svg>`;
}
