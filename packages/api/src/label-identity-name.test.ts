import { describe, expect, it } from 'vitest';
import { labelIdentityHash, normalizedLabel } from './label-identity-name.ts';

describe('the text of a label identity', () => {
  it.each([
    [
      { purpose: 'test', 'kubernetes.io/metadata.name': 'us-west-1' },
      { app: 'client' },
      'ns:kubernetes.io/metadata.name=us-west-1,purpose=test&pod:app=client',
      'c5d961e1f6175a5a',
    ],
    [
      { 'kubernetes.io/metadata.name': 'test-ns' },
      { purpose: 'test' },
      'ns:kubernetes.io/metadata.name=test-ns&pod:purpose=test',
      '84f96bdf70fe8425',
    ],
    [
      { 'kubernetes.io/metadata.name': 'test-ns', region: 'west' },
      {},
      'ns:kubernetes.io/metadata.name=test-ns,region=west&pod:',
      '9af47539d5afcd2e',
    ],
    [
      { 'kubernetes.io/metadata.name': 'd' },
      { app: 'y', 'app.kubernetes.io/name': 'x' },
      'ns:kubernetes.io/metadata.name=d&pod:app.kubernetes.io/name=x,app=y',
      '40d218ca7f5b56c8',
    ],
  ])('%j and %j', (namespaceLabels, podLabels, text, hash) => {
    expect(normalizedLabel(namespaceLabels, podLabels)).toBe(text);
    expect(labelIdentityHash(text)).toBe(hash);
  });
});
