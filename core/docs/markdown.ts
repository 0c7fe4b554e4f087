/**
 * Renders the pages of the guide, and the texts of the OpenAPI document. Raw HTML is shown as text, so a description
 * can never add markup to a page.
 */
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../html/escape-html.ts';
import { renderFold, renderTabs, renderCode, type CodeSample } from './site/code-blocks.ts';

export interface Heading {
  readonly depth: number;
  readonly id: string;
  /** Without markup. */
  readonly text: string;
}

/** The text between one heading and the next, for the search. */
export interface Section {
  readonly heading: Heading | null;
  readonly text: string;
  /** The samples, which are found but not quoted. */
  readonly code: string;
}

export interface RenderedText {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

export interface MarkdownPlace {
  /** Converts the target of a link or image. Undefined: the text is shown without a link. */
  readonly addressOf?: (target: string) => string | undefined;
  /** The address that `code` names, such as a call of the API. */
  readonly addressOfCode?: (code: string) => string | undefined;
}

/** Renders a whole page. */
export function renderPageText(source: string, place: MarkdownPlace): RenderedText {
  const headings: Heading[] = [];
  const marked = createMarked(place, headings);
  const tokens = marked.lexer(source);
  const groups = groupSamples(tokens);
  let tabs = 0;
  const html = groups.map((group) => {
    if ('type' in group) return marked.parser([group]);
    tabs += 1;
    return renderTabs(group.samples, `sample-${tabs}`);
  });
  return { html: html.join(''), headings, sections: sectionsOf(tokens, headings) };
}

/** Renders paragraphs, lists and code of a description. */
export function renderMarkdown(source: string, place: MarkdownPlace = {}): string {
  return createMarked(place, []).parse(source, { async: false });
}

/** Renders one line. */
export function renderInline(source: string, place: MarkdownPlace = {}): string {
  return createMarked(place, []).parseInline(source, { async: false });
}

function createMarked({ addressOf = (target) => target, addressOfCode }: MarkdownPlace, headings: Heading[]): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
      heading({ depth, tokens, text }) {
        const heading = toHeading(depth, text, headings);
        headings.push(heading);
        const { id } = heading;
        const inner = this.parser.parseInline(tokens).replace(idMark, '').trimEnd();
        const anchor =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(heading.text)}">#</a>`;
        return `<h${depth} id="${id}">${inner}${anchor}</h${depth}>`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      image({ href, text }) {
        return `<img class="figure" src="${escapeHtml(addressOf(href) ?? '')}" alt="${escapeHtml(text)}">`;
      },
      codespan({ text }) {
        const address = addressOfCode?.(text);
        const code = `<code>${escapeHtml(text)}</code>`;
        return address === undefined ? code : `<a href="${escapeHtml(address)}">${code}</a>`;
      },
      code(token) {
        const { fold, ...sample } = toSample(token);
        return fold ? renderFold(sample.title, sample) : renderCode(sample);
      },
      table({ header, rows }) {
        const names = header.map(({ tokens }) => this.parser.parseInline(tokens));
        const labels = header.map(({ text }) => escapeHtml(toPlain(text)));
        const head = names.map((name) => `<th scope="col">${name}</th>`).join('');
        const body = rows.map(
          (cells) =>
            `<tr>${cells.map(({ tokens }, at) => `<td data-label="${labels[at]}">${this.parser.parseInline(tokens)}</td>`).join('')}</tr>`,
        );
        return `<table class="columns-${header.length}"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
      },
      blockquote({ tokens, text }) {
        const [, kind] = /^\[!(\w+)\]/.exec(text) ?? [];
        const inner = this.parser.parse(tokens).replace(/\[!\w+\]\s*(<br>)?/, '');
        return kind === undefined
          ? `<blockquote>${inner}</blockquote>`
          : `<div class="callout ${kind.toLowerCase()}" role="note">${inner}</div>`;
      },
      checkbox: () => '<span class="box" aria-hidden="true"></span>',
    },
  });
}

/** The end of a heading may set its id: `{#PAY001}`. */
const idMark = /\{#([\w.-]+)\}$/;

/** The same ids as on GitHub, so that links between the files work there and here. */
function toHeading(depth: number, source: string, earlier: readonly Heading[]): Heading {
  const [, own] = idMark.exec(source) ?? [];
  const text = toPlain(source.replace(idMark, ''));
  const base =
    own ??
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
  const same = earlier.filter(({ id }) => id === base || id.startsWith(`${base}-`)).length;
  return { depth, id: same === 0 || own ? base : `${base}-${same}`, text };
}

/** Markdown without its marks. */
function toPlain(source: string): string {
  return source
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();
}

interface Fence extends CodeSample {
  readonly fold: boolean;
}

/** A fence is `lang`, `lang Title` for a tab, or `lang fold Title` for a block that is folded. */
function toSample({ lang = '', text }: Tokens.Code): Fence {
  const [language = '', ...words] = lang.split(' ');
  const fold = words[0] === 'fold';
  return { language, code: text, title: (fold ? words.slice(1) : words).join(' '), fold };
}

/** Fences with titles that follow each other become one group of tabs. */
function groupSamples(tokens: readonly Token[]): (Token | { samples: CodeSample[] })[] {
  const groups: (Token | { samples: CodeSample[] })[] = [];
  for (const token of tokens) {
    const last = groups.at(-1);
    const isOpen = last !== undefined && 'samples' in last;
    if (token.type === 'space' && isOpen) continue;
    const sample = token.type === 'code' ? toSample(token as Tokens.Code) : undefined;
    if (sample === undefined || sample.title === '' || sample.fold) groups.push(token);
    else if (isOpen) last.samples.push(sample);
    else groups.push({ samples: [sample] });
  }
  return groups;
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { heading: Heading | null; text: string; code: string }[] = [{ heading: null, text: '', code: '' }];
  const left = [...headings];
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ heading: left.shift() ?? null, text: '', code: '' });
    else sections.at(-1)![token.type === 'code' ? 'code' : 'text'] += `${textOf(token)} `;
  }
  return sections;
}

/** All text of a token, as a reader sees it. */
function textOf(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return '';
  if (token.type === 'table') {
    const { rows } = token as Tokens.Table;
    return rows.map((cells) => cells.map(({ text }) => toPlain(text)).join(': ')).join('. ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(({ text }) => toPlain(text)).join(' ');
  return toPlain('text' in token && typeof token.text === 'string' ? token.text : token.raw);
}
