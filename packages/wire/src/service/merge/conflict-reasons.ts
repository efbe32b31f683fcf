import { reasonsOn, resourceExportStatus } from '@isthmus/api';

/** The reasons of the condition Conflict, in the order in which several are joined. */
export const conflictReasons = reasonsOn(resourceExportStatus, 'Conflict=True');
export type ConflictReason = (typeof conflictReasons)[number];
