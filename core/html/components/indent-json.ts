/** Indents JSON text. Numbers are not parsed, so they do not change. Expects JSON without spaces around its tokens. */
export function indentJson(text: string): string {
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)|\[\]|\{\}|[{}[\],:]/gs, (token) => {
    if (token === '{' || token === '[') {
      depth += 1;
      return token + newLine();
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return newLine() + token;
    }
    if (token === ',') return token + newLine();
    return token === ':' ? ': ' : token;
  });
}
