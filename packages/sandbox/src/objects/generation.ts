import { equal } from '@isthmus/machinery';
import type { Stored } from '../store/stored.ts';
import type { GenerationRule } from '../strategy/strategy.ts';

/** An updated object with its generation: one more if a field changed that the rule counts. */
export function withGeneration(rule: GenerationRule | undefined, before: Stored, next: Stored): Stored {
  const { generation } = before.metadata;
  if (rule === undefined || generation === undefined) return next;
  const changed = !equal(counted(rule, before), counted(rule, next));
  return { ...next, metadata: { ...next.metadata, generation: changed ? generation + 1 : generation } };
}

function counted(rule: GenerationRule, object: Stored): unknown {
  switch (rule) {
    case 'spec':
      return object['spec'];
    case 'spec-and-annotations':
      return [object['spec'], object.metadata.annotations ?? {}];
    case 'spec-and-labels': {
      const { metadata, apiVersion: _, ...rest } = object;
      return { ...rest, labels: metadata.labels ?? {} };
    }
    case 'all-but-metadata': {
      const { metadata: _metadata, apiVersion: _apiVersion, ...rest } = object;
      return rest;
    }
    case 'all-but-metadata-and-status': {
      const { metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest } = object;
      return rest;
    }
  }
}
