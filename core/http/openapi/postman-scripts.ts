/** JavaScript that Postman and newman run before a request and after its answer. */
import type { Check } from './postman-plan.ts';

/** Skips the request until these variables have a value. The run shows a skipped test with the reason. */
export function guardScript(needs: readonly string[]): string[] {
  return [
    `const missing = ${JSON.stringify(needs)}.filter((name) => !pm.variables.get(name));`,
    'if (missing.length > 0) {',
    "  pm.test.skip('set ' + missing.join(', ') + ' to run this request', () => {});",
    '  pm.execution.skipRequest();',
    '}',
  ];
}

export function testScript({ says, script, mayFail, keeps = [], repeatsIf }: Check): string[] {
  const checks = [
    ...(mayFail ? [] : ["pm.test('answers 200', () => pm.expect(pm.response.code).to.equal(200));"]),
    `pm.test(${JSON.stringify(says)}, () => {`,
    ...script.map((line) => `  ${line}`),
    '});',
    ...keeps,
  ];
  return ['const json = pm.response.json();', ...(repeatsIf ? repeatWhile(repeatsIf, checks) : checks)];
}

/** The gateway works on some things in the background. */
function repeatWhile(condition: string, otherwise: readonly string[]): string[] {
  return [
    "const tries = Number(pm.collectionVariables.get('tries') ?? 0);",
    `if (${condition} && tries < 20) {`,
    "  pm.collectionVariables.set('tries', String(tries + 1));",
    '  setTimeout(() => pm.execution.setNextRequest(pm.info.requestName), 250);',
    '} else {',
    "  pm.collectionVariables.set('tries', '0');",
    ...otherwise.map((line) => `  ${line}`),
    '}',
  ];
}
