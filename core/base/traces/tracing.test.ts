import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTracing } from './tracing.ts';

describe('tracing', () => {
  it('accepts only a complete traceparent, and reads only the sampled flag', async () => {
    const tracing = await createTracing({
      endpoint: 'http://127.0.0.1:9',
      ratio: 0,
      name: 'test',
      onProblem: () => undefined,
    });
    const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    expect(tracing.readMerchants(`00-${trace}-${span}-01`)).to.equal(`00-${trace}-${span}-01 merchant`);
    expect(tracing.readMerchants(`00-${trace}-${span}-ff`)).to.equal(`00-${trace}-${span}-01 merchant`);
    for (const wrong of [
      '',
      `00-${trace}-${span}`,
      `01-${trace}-${span}-01-more`,
      `00-${trace.toUpperCase()}-${span}-01`,
      `00-${'0'.repeat(32)}-${span}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `00-${trace}-${span}-01 or more`,
    ])
      expect(tracing.readMerchants(wrong), wrong).to.equal(undefined);
    const merchants = tracing.readMerchants(`00-${trace}-${span}-01`);
    // With a ratio of 0 no trace is sampled, whatever a merchant requests; the trace itself continues.
    const inner = await tracing.run('one', { parent: merchants }, async () => tracing.current());
    expect(inner).to.match(new RegExp(`^00-${trace}-[0-9a-f]{16}-00 merchant$`));
    expect(tracing.current()).to.equal(undefined);
    await tracing.close(100);
  });
});
