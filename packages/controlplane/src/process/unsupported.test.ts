import { describe, expect, it } from 'vitest';
import { decodeControllerConfig, unusedSettings } from './config.ts';
import { unsupportedVerdict } from './unsupported.ts';

const nothing = { settings: [], payloads: { objects: 'ResourceImport', kinds: [] } };

describe('what a version does not act on', () => {
  it('is nothing where nothing is asked for', () => {
    expect(unsupportedVerdict(nothing)).toBe('absent');
  });

  it.each([
    ['a setting', { settings: ['webhook', 'another'] }, 'MultiClusterConfig: webhook, another'],
    [
      'kinds that others publish',
      { payloads: { objects: 'ResourceImport', kinds: ['AntreaClusterNetworkPolicy', 'x'.repeat(99)] } },
      `ResourceImports of kind "AntreaClusterNetworkPolicy"; ResourceImports of kind "${'x'.repeat(63)}…"`,
    ],
  ])('names %s', (_, input, what) => {
    expect(unsupportedVerdict({ ...nothing, ...input })).toEqual({
      status: 'True',
      reason: 'NotSupported',
      message: `This version does not act on: ${what}. Everything else works.`,
    });
  });

  it('is found in a configuration file', () => {
    const decoded = decodeControllerConfig({
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'MultiClusterConfig',
      enableStretchedNetworkPolicy: true,
      webhook: { port: 9444 },
    });
    expect(decoded.kind === 'valid' && unusedSettings(decoded.config)).toEqual(['webhook']);
  });
});
