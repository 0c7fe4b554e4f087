/** How a sandbox says that the amount of a payment caused its answer. No provider sends this header. */

/** The value is the rule, such as `.50`. */
export const sandboxRuleHeader = 'X-Sandbox-Rule';

/** What each rule does that makes a payment fail or stay open. The keys are the values of the header. */
const effects: Readonly<Record<string, string>> = {
  '.50': 'answers with an error before it charges anything',
  '.52': 'answers with an HTML page and charges nothing',
  '.53': 'charges the payment and then breaks off its answer',
};

/** The rule that the header names; undefined for every other text. */
export function answerRuleOf(text: string | undefined): string | undefined {
  return text !== undefined && Object.hasOwn(effects, text) ? text : undefined;
}

/** The sentence for the merchant's developer, with the page that explains the rules. */
export function answerRuleText(rule: string): string {
  return `The amount ends in ${rule}: the sandbox ${effects[rule] ?? 'answers'}. See /docs/testing.`;
}
