/** How refunds end where a provider's file says no more than most do. */
import type { AmountRule } from './test-cards.ts';

/** By the rule of the refund's own sum: `.58` fails, `.59` is done and then reversed, any other is done. */
export function refundEnds(rule: AmountRule | undefined): readonly ('done' | 'failed' | 'reversed')[] {
  if (rule === '.58') return ['failed'];
  return rule === '.59' ? ['done', 'reversed'] : ['done'];
}
