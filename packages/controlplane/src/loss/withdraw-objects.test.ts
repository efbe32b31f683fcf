import type { ResourceExport } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import { isWithdrawn, withdrawnMark } from '@isthmus/wire';
import { expect, it } from 'vitest';
import { withdraw } from './withdraw-objects.ts';

const context = { nowMs: 0, signal: new AbortController().signal };
const object = (name: string, more: Partial<ResourceExport['metadata']> = {}): ResourceExport => ({
  metadata: { name, annotations: { kept: name }, ...more },
  spec: { kind: 'Service' },
});

it('what is withdrawn is all marked before the first of it is deleted', async () => {
  const writes: string[] = [];
  const resource = {
    change(_: ResourceExport, desired: ResourceExport) {
      writes.push(`${desired.metadata.name} is ${isWithdrawn(desired) ? 'marked' : 'changed'}`);
      expect(desired).toMatchObject({
        metadata: { annotations: { kept: desired.metadata.name } },
        spec: { kind: 'Service' },
      });
      return Promise.resolve(desired);
    },
    delete({ metadata }: ResourceExport) {
      writes.push(`${metadata.name} is deleted`);
      return Promise.resolve();
    },
  } as unknown as Resource<ResourceExport>;
  const ending = object('ending', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  const marked = object('marked', { annotations: withdrawnMark(5) });
  await withdraw(resource, [object('a'), ending, marked, object('b')], context);
  expect(writes).toEqual([
    'a is marked',
    'ending is marked',
    'b is marked',
    'a is deleted',
    'marked is deleted',
    'b is deleted',
  ]);
});
