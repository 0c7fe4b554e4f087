/**
 * Colours code samples: comments, texts, numbers and words of the language. One expression per language is enough for
 * the short samples of the documentation, so no highlighting library is loaded.
 */
import { escapeHtml } from '../../html/escape-html.ts';

type Mark = 'comment' | 'text' | 'number' | 'word' | 'name';

const words = {
  js: 'async|await|const|class|else|export|for|from|function|if|import|let|new|of|return|throw|try|catch|type|interface',
  python: 'async|await|class|def|else|except|for|from|if|import|in|not|or|and|return|try|with|as|None|True|False',
  go: 'break|case|const|defer|else|for|func|go|if|import|package|range|return|struct|switch|type|var|nil|true|false',
  java: 'class|else|final|for|if|import|new|null|package|private|public|return|static|throw|throws|try|var|void',
  php: 'as|catch|echo|else|foreach|function|if|new|null|return|throw|true|false|try|use|require',
  sh: 'curl|npm|node|npx|pip|export|git|cd|docker',
} as const;

/** A text or comment without an end lasts until the end of the sample, so that no sample is scanned twice. */
const strings = String.raw`"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|` + '`(?:\\\\.|[^`\\\\])*`?';
const digits = String.raw`\b\d[\d_]*(?:\.\d+)?\b`;

function grammarOf(comment: string, word: string): RegExp {
  return new RegExp(`(?<comment>${comment})|(?<text>${strings})|(?<word>\\b(?:${word})\\b)|(?<number>${digits})`, 'gm');
}

const slashes = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))`;
const hashes = String.raw`(?<=^|\s)#[^\n]*`;
const grammars: Readonly<Record<string, RegExp>> = {
  js: grammarOf(slashes, words.js),
  ts: grammarOf(slashes, words.js),
  python: grammarOf(hashes, words.python),
  go: grammarOf(slashes, words.go),
  java: grammarOf(slashes, words.java),
  php: grammarOf(slashes, words.php),
  // The numbers of a shell are parts of addresses and versions.
  sh: new RegExp(`(?<comment>${hashes})|(?<text>${strings})|(?<word>\\b(?:${words.sh})\\b)`, 'gm'),
  json: new RegExp(
    String.raw`(?<name>"(?:\\.|[^"\\])*"(?=\s*:))|(?<text>"(?:\\.|[^"\\])*"?)|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d+(?:\.\d+)?\b)`,
    'g',
  ),
};

/** Returns HTML. A language that is not known is only escaped. */
export function highlight(code: string, language: string): string {
  const grammar = grammars[language];
  if (!grammar) return escapeHtml(code);
  let done = 0;
  let result = '';
  for (const match of code.matchAll(grammar)) {
    const [mark] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    result += `${escapeHtml(code.slice(done, match.index))}<span class="${mark as Mark}">${escapeHtml(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return result + escapeHtml(code.slice(done));
}
