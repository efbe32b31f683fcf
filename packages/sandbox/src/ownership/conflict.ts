import type { Failure } from '@isthmus/machinery';
import { managerId, printManager } from './managers.ts';
import type { OwnershipConflict } from './ownership.ts';
import { printFieldPath } from './path-element.ts';

/**
 * The rejection of an apply that would change fields of other managers, in the API server's words:
 * 409 with one cause for each field.
 */
export function conflictFailure(conflicts: readonly OwnershipConflict[]): Failure {
  return {
    reason: 'Conflict',
    message: messageOf(conflicts),
    details: {
      causes: conflicts.map(({ manager, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${printManager(manager)}`,
        field: printFieldPath(path),
      })),
    },
  };
}

function messageOf(conflicts: readonly OwnershipConflict[]): string {
  const [only] = conflicts;
  if (conflicts.length === 1 && only !== undefined) {
    const path = printFieldPath(only.path);
    return `Apply failed with 1 conflict: conflict with ${printManager(only.manager)}: ${path}`;
  }
  const lines: string[] = [];
  let current: string | undefined;
  for (const { manager, path } of conflicts) {
    const id = managerId(manager);
    if (id !== current) lines.push(`conflicts with ${printManager(manager)}:`);
    current = id;
    lines.push(`- ${printFieldPath(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}
