import { FixedName, Label } from '@isthmus/api';
import type { InstalledNames } from './role.ts';

/** The labels of everything that is installed for a controller; they are Antrea's. */
export const controllerLabels = { [Label.app]: 'antrea', [Label.component]: 'antrea-mc-controller' } as const;

/** The objects of a controller have Antrea's names, so that ours replaces it. */
export const controllerNames: InstalledNames = {
  serviceAccount: FixedName.controllerServiceAccount,
  role: 'antrea-mc-controller-role',
  binding: 'antrea-mc-controller-rolebinding',
  labels: controllerLabels,
};
