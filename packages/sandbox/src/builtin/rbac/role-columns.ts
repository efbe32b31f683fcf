import { defineColumns } from '../columns/define-columns.ts';

/** The server's columns for a kind that defines none. */
export const nameAndCreation = defineColumns({ Name: 'name', 'Created At': 'date' }, ({ metadata }) => [
  metadata.name,
  metadata.creationTimestamp ?? null,
]);
