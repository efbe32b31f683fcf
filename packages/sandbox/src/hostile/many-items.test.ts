import { canonicalJson } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Json } from '@isthmus/schema';
import { mostWarnings } from '../answer/answer.ts';
import { podWarnings } from '../builtin/pods/pod-warnings.ts';
import { withNodePorts } from '../builtin/services/service-node-ports.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { workloadTypes } from '../patch/testing/workload-types.ts';

const many = 60_000;
const numbers = Array.from({ length: many }, (_, index) => index);
/**
 * A function that compares each item with each other needs minutes for so many; one that does not,
 * less than a second.
 */
const limitMs = 30_000;

describe('one object with very many items', () => {
  it.each([
    ['the same port', () => ({ containerPort: 80 }), mostWarnings],
    ['a port of its own', (index: number) => ({ containerPort: index }), 0],
    [
      'the same port at a port of its own on the Node',
      (index: number) => ({ containerPort: 80, hostPort: index + 1 }),
      0,
    ],
    ['a port of the same name', (index: number) => ({ containerPort: index, name: 'http' }), many - 1],
  ])('a Pod whose containers have %s', { timeout: limitMs }, (_, port, warnings) => {
    const containers = numbers.map((index) => ({ name: `c${index}`, ports: [{ protocol: 'TCP', ...port(index) }] }));
    expect(podWarnings('', { containers })).toHaveLength(warnings);
  });

  it('a Pod with a variable for each', { timeout: limitMs }, () => {
    const env = numbers.map((index) => ({ name: `v${index}` }));
    expect(podWarnings('', { containers: [{ name: 'c', env }] })).toEqual([]);
  });

  it.each([
    ['created', undefined],
    ['updated', { type: 'NodePort' }],
  ])('a dry run of a Service that is %s with a port on the Node for each', { timeout: limitMs }, (_, before) => {
    const ports = numbers.map((port) => ({ port, protocol: 'TCP' }));
    const room = { taken: new Set<number>(), random: () => 0, dryRun: true };
    const { spec, errors } = withNodePorts({ type: 'NodePort', ports }, before, room);
    expect(errors).toEqual([]);
    expect(new Set(spec.ports?.map(({ nodePort }) => nodePort)).size).toBe(many);
  });

  const finalizers = Array.from({ length: 3 * many }, (_, index) => `example.com/${index}`);
  const ports = numbers.map((port) => ({ port, name: `p${port}` }));
  const service = { metadata: { finalizers }, spec: { ports } };
  const half = <T>(items: readonly T[]) => items.filter((_, index) => index % 2 === 1);
  it.each<[string, Json, Json]>([
    [
      'deletes items of a list of texts',
      { metadata: { '$deleteFromPrimitiveList/finalizers': finalizers.filter((_, index) => index % 2 === 0) } },
      { metadata: { finalizers: half(finalizers) }, spec: { ports } },
    ],
    [
      'deletes items of a list of maps',
      { spec: { ports: ports.filter((_, index) => index % 2 === 0).map(({ port }) => ({ $patch: 'delete', port })) } },
      { metadata: { finalizers }, spec: { ports: half(ports) } },
    ],
    [
      'changes items of a list of maps',
      { spec: { ports: ports.map(({ port }) => ({ port, name: 'same' })) } },
      { metadata: { finalizers }, spec: { ports: ports.map(({ port }) => ({ port, name: 'same' })) } },
    ],
  ])('a strategic merge patch that %s', { timeout: limitMs }, (_, patch, expected) => {
    const merged = applyStrategicMergePatch(workloadTypes.Service, service, patch);
    expect(canonicalJson(merged) === canonicalJson(expected)).toBe(true);
  });
});
