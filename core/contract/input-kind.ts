/** Which input a merchant's body makes, where a provider takes several. */
import type { InputKind } from './payment.ts';

/** The member of a merchant's body that makes an input; billing data has none of them. */
export const inputMembers: Readonly<Partial<Record<InputKind, string>>> = {
  card: 'number',
  token: 'token',
  upi: 'upiId',
};

/**
 * Of the inputs that a manifest lists, the one whose own member the body has (`number`, `token`, `upiId`), else `billing`,
 * else the first. A provider of one input gets every body as that one.
 */
export function inputKindOf(inputs: readonly InputKind[], body: Readonly<Record<string, unknown>>): InputKind {
  const isOwn = (kind: InputKind): boolean => {
    const member = inputMembers[kind];
    return member !== undefined && Object.hasOwn(body, member) && body[member] !== undefined;
  };
  return inputs.find(isOwn) ?? (inputs.includes('billing') ? 'billing' : (inputs[0] ?? 'card'));
}
