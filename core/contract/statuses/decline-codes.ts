/**
 * The decline codes that merchants see, with their texts: cards first, then UPI. This is the only table of them.
 * Adapters map their provider's refusals to it, and the kit, the errors and the documentation are generated from it.
 */
export const declineReasons = {
  '05': 'do not honor',
  '51': 'insufficient funds',
  '54': 'expired card',
  '57': 'transaction not permitted',
  '61': 'exceeds withdrawal limit',
  U30: 'invalid PIN',
  U16: 'risk threshold exceeded',
  U66: 'device not registered',
  U69: 'collect request declined',
} as const;
export type DeclineCode = keyof typeof declineReasons;
export const declineCodes = Object.keys(declineReasons) as DeclineCode[];
