/**
 * Creates a file of a new adapter from a template. A template is the file for the input kind `card`. Lines between `//
 * for: card token` and `// end` are only for these input kinds; lines that are not for cards start with `//: `. Blocks
 * may be nested. A file that consists of one block is not written for other kinds.
 */
import type { InputKind, Way } from '@paywright/contract';
import { templateNames, type Names } from './names.ts';

export interface Filling {
  readonly names: Names;
  readonly code: number;
  readonly kind: InputKind;
}

/** The usual payment way of an input kind. */
const ways: Readonly<Record<InputKind, Omit<Way, 'payerFields'>>> = {
  card: { method: 'card', title: 'Card', threeDs: 'enforced' },
  billing: { method: 'hosted_page', title: 'At the provider’s page', threeDs: 'by_other_means' },
  token: { method: 'card_token', title: 'Saved card', threeDs: 'enforced' },
  upi: { method: 'upi_collect', title: 'UPI', threeDs: 'by_other_means' },
};

export function fillTemplate(template: string, { names, code, kind }: Filling): string {
  const { method, title, threeDs } = ways[kind];
  const spelled = (['name', 'title', 'path', 'header'] as const).reduce(
    (text, spelling) => text.replaceAll(templateNames[spelling], names[spelling]),
    cut(template, kind),
  );
  return spelled
    .replace("inputs: ['card'],", `inputs: ['${kind}'],`)
    .replaceAll("Options, 'card', Fields>", `Options, '${kind}', Fields>`)
    .replaceAll("Submission<'card'>", `Submission<'${kind}'>`)
    .replace(
      "method: 'card', title: 'Card', threeDs: 'enforced'",
      `method: '${method}', title: '${title}', threeDs: '${threeDs}'`,
    )
    .replace('code: 0,', `code: ${code},`)
    .replace('(code 0)', `(code ${code})`);
}

function cut(template: string, kind: InputKind): string {
  const blocks: boolean[] = [];
  return template
    .split('\n')
    .flatMap((line) => {
      const [, kinds] = /^\s*\/\/ for: (.*)$/.exec(line) ?? [];
      if (kinds !== undefined) {
        blocks.push(kinds.split(' ').includes(kind));
        return [];
      }
      if (/^\s*\/\/ end$/.test(line)) {
        blocks.pop();
        return [];
      }
      return blocks.every(Boolean) ? [line.replace(/^(\s*)\/\/: ?/, '$1').trimEnd()] : [];
    })
    .join('\n');
}
