import type { Log } from '@isthmus/kube';
import type { Io } from '../../../world/io.ts';
import type { MachineWorld, SandboxMachine } from '../machine.ts';

/** What the containers of one cluster run on. */
export interface ContainerHost {
  readonly cluster: string;
  readonly machine: SandboxMachine;
  readonly world: MachineWorld & Pick<Io, 'ownCommand'>;
  /** Where programs are looked for. */
  readonly path: string;
  readonly log: Log;
}
