/** JSON text as it is, on lines of its own: no number is read, so none changes. Expects JSON without space around its tokens. */
export function indentJson(text: string): string {
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\]|\{\}|[{}[\],:]/g, (token) => {
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
