import type { CustomResourceDefinition } from '../../authoring/crd.ts';
import type { JsonSchema } from '../../json-schema.ts';
import { costCases, costSchemas, itemsWith } from './cost-cases.ts';

/**
 * The answers of a real API server to the schemas, `field: message` for each cause, sorted; empty
 * if it accepts the schema.
 */
export type CostAnswers = Readonly<Record<string, readonly string[]>>;

/** All schemas that are asked about, by what they are called in the recorded answers. */
export function askedSchemas(): ReadonlyMap<string, JsonSchema> {
  const rules = Object.values(costCases).flatMap((cases) =>
    cases.flatMap(([rule, fits, exceeds]) =>
      [fits, exceeds].map((times) => [keyOf(rule, times), itemsWith(times, rule)] as const),
    ),
  );
  return new Map([...Object.entries(costSchemas), ...rules]);
}

export function keyOf(rule: string | object, times: number): string {
  return `${times} times ${typeof rule === 'string' ? rule : JSON.stringify(rule)}`;
}

/** A kind with that schema. */
export function kindWith(schema: JsonSchema): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'costs.cost.example.com' },
    spec: {
      group: 'cost.example.com',
      scope: 'Namespaced',
      names: { kind: 'Cost', plural: 'costs' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
