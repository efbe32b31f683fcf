import type { ResourceExport, ServiceExport } from '@isthmus/api';

/** metav1.Condition, as the MCS API has it. */
export type Condition = NonNullable<NonNullable<ServiceExport['status']>['conditions']>[number];

/** The condition of ResourceExports: reason, message and time may be absent. */
export type ExportCondition = NonNullable<NonNullable<ResourceExport['status']>['conditions']>[number];
