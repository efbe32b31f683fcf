import { FixedName, Label } from '@isthmus/api';
import type { InstalledNames } from './role.ts';

/** Labels of everything that is installed for a controller, as Antrea has them. */
export const controllerLabels = { [Label.app]: 'antrea', [Label.component]: 'antrea-mc-controller' } as const;

/** What is installed for a controller has Antrea's names, so that ours takes its place. */
export const controllerNames: InstalledNames = {
  serviceAccount: FixedName.controllerServiceAccount,
  role: 'antrea-mc-controller-role',
  binding: 'antrea-mc-controller-rolebinding',
  labels: controllerLabels,
};
