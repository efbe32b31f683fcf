import { join } from 'node:path';
import type { RealControllers } from './real-controllers.ts';
import { realControllers } from './real-controllers.ts';

export interface PreviousIsthmusOptions {
  /** A checkout of another version, in which `npm ci` has run. */
  readonly checkout: string;
  readonly say: (line: string) => void;
}

/** The controllers of another version of Isthmus as processes. */
export function previousIsthmus({ checkout, say }: PreviousIsthmusOptions): Promise<RealControllers> {
  const program = join(checkout, 'packages/cli/src/main.ts');
  return realControllers({
    name: 'previous Isthmus',
    what: `Isthmus of ${checkout}`,
    needsHandover: false,
    goesOn: true,
    program: process.execPath,
    args: (role, { kubeconfig, config, namespace }) => [
      program,
      'controller',
      role,
      '--kubeconfig',
      kubeconfig,
      '--config',
      config,
      '--namespace',
      namespace,
    ],
    manifest: (role) => join(checkout, `deploy/${role}.yaml`),
    endpointIPType: 'PodIP',
    say,
  });
}
