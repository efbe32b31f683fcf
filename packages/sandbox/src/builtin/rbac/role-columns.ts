import { defineColumns } from '../columns/define-columns.ts';

/** What the server itself shows of a kind that nobody gave columns. */
export const nameAndCreation = defineColumns({ Name: 'name', 'Created At': 'date' }, ({ metadata }) => [
  metadata.name,
  metadata.creationTimestamp ?? null,
]);
