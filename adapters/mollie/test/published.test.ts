/** Runs answers of Mollie with each status of payments, captures, refunds and chargebacks. */
import { CaptureStatus, PaymentStatus, RefundStatus } from '@mollie/api-client';
import { describePublished, fixtureText } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import mollie from '../index.ts';

const text = fixtureText(import.meta.url, 'published.json');

describePublished(mollie, text);

describe('published.json', () => {
  it('has each status of Mollie’s own SDK', () => {
    const { types } = JSON.parse(text) as { readonly types: readonly string[] };
    const named = (kind: string, statuses: object) => Object.values(statuses).map((status) => `${kind}: ${status}`);
    expect(types).to.include.members([
      ...named('payment', PaymentStatus),
      ...named('refund', RefundStatus),
      ...named('capture', CaptureStatus),
    ]);
  });
});
