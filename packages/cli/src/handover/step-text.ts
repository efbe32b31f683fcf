import type { HandoverStep } from '@isthmus/controlplane';
import { keyOf, keyOfObject } from '@isthmus/machinery';

/** Steps of one kind, as one line that begins with a verb. */
export function stepText(steps: readonly HandoverStep[]): string {
  const [first] = steps;
  switch (first?.kind) {
    case undefined:
      return '';
    case 'stop':
      return first.deployment === undefined
        ? `Wait until Lease ${keyOf(first.lease)} is free: a controller of Isthmus has held it`
        : `Stop the controller of Isthmus: scale Deployment ${keyOf(first.deployment)} to 0`;
    case 'replace':
      return `Replace the EndpointSlices of ${counted(steps.length, 'imported Service', 's')} by Endpoints`;
    case 'merge':
      return `Delete the ResourceImports of single clusters of ${counted(steps.length, 'Service', 's')}`;
    case 'withdraw':
      return `Delete the ${counted(steps.length, 'ResourceImport', 's')} that an Antrea leader would keep: of labels without an export, or with a dot in the name of a Service`;
    case 'release':
      return `Remove labels, annotations and finalizers of Isthmus from ${byKind(steps)}`;
    case 'store':
      return `Store ${steps.flatMap((step) => (step.kind === 'store' ? [`${step.definition.spec.names.kind}s`] : [])).join(' and ')} as ${first.version}`;
  }
}

/** The objects of a step, as kubectl names them. */
export function stepObjects(step: HandoverStep): readonly string[] {
  switch (step.kind) {
    case 'stop':
      return [step.deployment === undefined ? `Lease ${keyOf(step.lease)}` : `Deployment ${keyOf(step.deployment)}`];
    case 'replace':
      return [`Service ${keyOfObject(step.endpoints)}`];
    case 'merge':
      return step.imports.map((ref) => `ResourceImport ${keyOf(ref)}`);
    case 'withdraw':
      return [`ResourceImport ${keyOf(step.ref)}`];
    case 'release':
      return [`${step.type.kind} ${keyOf(step.ref)}`];
    case 'store':
      return [`CustomResourceDefinition ${step.definition.metadata.name}`];
  }
}

function byKind(steps: readonly HandoverStep[]): string {
  const kinds = Map.groupBy(steps, (step) =>
    step.kind === 'release' ? [step.which, step.type.kind].filter((word) => word !== undefined).join(' ') : '',
  );
  const objects = (all: readonly HandoverStep[]) => new Set(all.flatMap(stepObjects)).size;
  return [...kinds].map(([kind, all]) => counted(objects(all), kind, 's')).join(', ');
}

function counted(count: number, one: string, plural: string): string {
  return `${count} ${one}${count === 1 ? '' : plural}`;
}
