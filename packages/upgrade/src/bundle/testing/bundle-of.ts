import { problemLine, readFile } from '../../read/read-file.ts';
import type { ReadResult } from '../../read/problem.ts';
import type { Component } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { componentBundle } from '../component-bundle.ts';

/** A digest of one digit: `sha256:777…`. */
export const digest = (digit: number | string): string => `sha256:${String(digit).repeat(64)}`;

/** A bundle of the spec given, read as its file would be. Fails where it cannot be read. */
export function readBundle(
  spec: object,
  metadata: object = {},
): Extract<ReadResult<ComponentBundle>, { kind: 'read' }> {
  const text = JSON.stringify({
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ComponentBundle',
    metadata: { name: 'bundle-7', ...metadata },
    spec: { number: 7, channel: 'stable', createdAt: '2026-11-01T00:00:00Z', components: [], ...spec },
  });
  const result = readFile(componentBundle, text, 'bundle.json');
  if (result.kind === 'refused') throw new Error(result.problems.map(problemLine).join('\n'));
  return result;
}

export function bundleOf(spec: object): ComponentBundle {
  return readBundle(spec).value;
}

/** A component as it is read: `v1.0.0`, and one image. */
export function componentOf(fields: { readonly id: string } & Readonly<Record<string, unknown>>): Component {
  const [first] = bundleOf({ components: [written(fields)] }).spec.components;
  if (first === undefined) throw new Error('no component');
  return first;
}

/** A component as it is written: `v1.0.0`, and one image. */
export function written(fields: { readonly id: string } & Readonly<Record<string, unknown>>): object {
  const image = { name: 'image', kind: 'image', uri: `registry.example/${fields.id}`, digest: digest(1) };
  return { version: { upstream: 'v1.0.0' }, artifacts: [image], ...fields };
}
