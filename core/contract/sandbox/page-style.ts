/** The style of all sandbox pages: light and dark, from phone width upwards. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f6;
  --paper: #fff;
  --ink: #15181e;
  --soft: #545c69;
  --line: #868d99;
  --accent: #2446c8;
  --accent-ink: #fff;
  --flag: #ffd166;
  --flag-ink: #3d2b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1014;
    --paper: #181b21;
    --ink: #f1f3f6;
    --soft: #a6aebb;
    --line: #717988;
    --accent: #97abff;
    --accent-ink: #0d1330;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  overflow-wrap: anywhere;
}
p, h1, h2, dl, dd, ul { margin: 0; }
.sandbox { background: var(--flag); color: var(--flag-ink); padding: .75rem 1rem; text-align: center; }
.sandbox strong { letter-spacing: .08em; }
main {
  display: grid;
  gap: 1.25rem;
  max-width: 27rem;
  margin: 2rem auto;
  padding: 1.5rem;
  background: var(--paper);
  border-radius: 1rem;
  box-shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 12px 32px rgb(16 24 40 / 8%);
}
@media (max-width: 29rem) { main { margin: 1rem; } }
h1 { font-size: 1.25rem; line-height: 1.25; }
h2 { font-size: 1rem; line-height: 1.25; }
main:has(table) { max-width: 44rem; }
h3 { margin: 0; font-size: .875rem; }
a { color: var(--accent); }
pre { margin: 0; padding: .75rem; border-radius: .5rem; background: var(--ground); font-size: .875rem; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td {
  padding: .375rem .75rem .375rem 0;
  border-bottom: 1px solid color-mix(in srgb, var(--line) 40%, transparent);
  text-align: start;
  vertical-align: top;
}
th { overflow-wrap: normal; }
th:first-child, td:first-child { width: 12.5rem; }
td code { overflow-wrap: normal; white-space: nowrap; }
@media (max-width: 29rem) { th:first-child, td:first-child { width: auto; } }
ul { padding-inline-start: 1.25rem; columns: 16rem; font-size: .875rem; }
.amount { font-size: 2rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem 1rem; }
dt { color: var(--soft); }
form { display: grid; gap: 1rem; }
label { display: grid; gap: .375rem; font-weight: 500; }
input, button { width: 100%; min-height: 3rem; border: 1px solid var(--line); border-radius: .75rem; font: inherit; }
input { background: var(--paper); color: inherit; padding: .5rem .875rem; }
.choices { display: grid; gap: .75rem; }
button { background: none; color: inherit; font-weight: 600; cursor: pointer; }
button::first-letter { text-transform: uppercase; }
button:first-of-type { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
