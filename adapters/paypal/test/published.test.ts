/** Runs a webhook of each event type that PayPal publishes, and an answer with each status. */
import { describePublished, fixture, fixtureText } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { webhookEvents } from '../check-account.ts';
import paypal from '../index.ts';
import { signCallback } from '../sandbox/index.ts';

const text = fixtureText(import.meta.url, 'published.json');
const { published } = fixture(import.meta.url, 'openapi.json') as {
  readonly published: Readonly<Record<string, readonly string[]>>;
};

describePublished(paypal, text, { sign: signCallback });

describe('published.json', () => {
  const { types } = JSON.parse(text) as { readonly types: readonly string[] };

  it('has each event that the webhook must report', () => {
    expect(types).to.include.members([...webhookEvents]);
  });

  it('has each status of PayPal’s OpenAPI documents', () => {
    const named = (kind: string, list: string): string[] => published[list]!.map((status) => `${kind}: ${status}`);
    expect(types).to.include.members([
      ...named('order', 'orderStatuses'),
      ...named('authorization', 'authorizationStatuses'),
      ...named('capture', 'captureStatuses'),
      ...named('refund', 'refundStatuses'),
      ...named('dispute', 'disputeStatuses'),
      ...named('dispute', 'disputeOutcomes'),
    ]);
  });
});
