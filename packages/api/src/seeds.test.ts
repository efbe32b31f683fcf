import { compileResource, formatFieldError } from '@isthmus/schema';
import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { customResources } from './custom-resources.ts';
import { seeds } from './testing/seeds.ts';

describe('what users of the first versions wrote is accepted without losing a field', () => {
  it.each(seeds)('%s', (_what, text) => {
    for (const { value } of parseYaml(text, { source: 'seed' })) {
      const object = value as { readonly apiVersion: string; readonly kind: string };
      const resource = customResources.find((one) => one.kind === object.kind);
      const version = resource?.version(object.apiVersion.split('/')[1] ?? '');
      expect(version).toBeDefined();
      if (version === undefined) return;
      const { unknownFields, errors } = compileResource(version).admit(object);
      expect({ unknownFields, errors: errors.map(formatFieldError) }).toEqual({ unknownFields: [], errors: [] });
    }
  });
});
