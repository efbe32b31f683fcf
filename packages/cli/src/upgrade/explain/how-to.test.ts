import type { Step } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { howTo } from './how-to.ts';

const step = (kind: Step['kind'], more: Partial<Step> = {}) => ({ kind, nodes: [], ...more });

describe('how a step is carried out by hand', () => {
  it.each([
    ['backup', 'Save every object of these kinds'],
    ['migrate-storage', 'write it back unchanged'],
    ['apply-definitions', 'server-side apply'],
    ['apply-shared', 'webhooks last'],
    ['recreate', '--cascade=foreground'],
    ['clean-up', 'wait until they are gone'],
    ['record', 'next snapshot'],
  ] as const)('is explained for %s', (kind, text) => {
    expect(howTo(step(kind), 'apply').join(' ')).toContain(text);
  });

  it.each([
    ['apply', 'server-side apply'],
    ['clusterctl', 'clusterctl upgrade apply'],
    ['helm', 'Render the chart once'],
    ['flux', 'flux bootstrap'],
    ['kubernetes', 'Roll the machine'],
    ['manual', 'Upgrade it by hand'],
  ])('is explained for an upgrade by %s', (method, text) => {
    expect(howTo(step('upgrade'), method).join(' ')).toContain(text);
  });

  it('keeps the Pods of other Nodes as they are where only some Nodes move', () => {
    expect(howTo(step('upgrade', { nodes: ['n1'] }), 'apply').join(' ')).toContain('OnDelete');
  });

  it('keeps the Pods until the new ones are ready where an object is created again as an orphan', () => {
    const lines = howTo(step('recreate', { action: 'recreate-orphan' }), 'apply');
    expect(lines[0]).toContain('Save the object');
    expect(lines.at(-1)).toContain('delete the old ReplicaSet');
  });

  it('is the text of the step itself where it has one', () => {
    expect(howTo(step('hook', { instructions: 'Create a token.' }), 'apply')).toEqual(['Create a token.']);
    expect(howTo(step('verify'), undefined)).toEqual([]);
  });
});
