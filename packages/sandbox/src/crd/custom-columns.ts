import { parseRfc3339 } from '@isthmus/machinery';
import { readPath } from '@isthmus/schema';
import { ageOf, humanDuration } from '../builtin/name-and-age.ts';
import type { ColumnDefinition, TableColumns } from '../registry/table-columns.ts';
import type { Column, Version } from '../definition/definition.ts';

/**
 * The columns of a version: its name, then its `additionalPrinterColumns`, or the age if it has
 * none.
 */
export function customColumns({ additionalPrinterColumns: given = [] }: Version): TableColumns {
  const columns = given.map((column) => ({ column, read: readPath(column.jsonPath ?? '') }));
  const more = given.length === 0 ? [ageColumn] : given.map(definitionOf);
  return {
    definitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }, ...more],
    cells: (object, now) => [
      object.metadata.name,
      ...(given.length === 0
        ? [ageOf(object, now)]
        : columns.map(({ column, read }) => cell(column, read(object), now))),
    ],
  };
}

const ageColumn: ColumnDefinition = { name: 'Age', type: 'date', format: '', description: '', priority: 0 };

function definitionOf({
  name = '',
  type,
  format = '',
  description = '',
  priority = 0,
  jsonPath,
}: Column): ColumnDefinition {
  const fallback = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    name,
    type: type as ColumnDefinition['type'],
    format,
    description: description === '' ? fallback : description,
    priority,
  };
}

/** The first value of the path, in the type of the column; null if it has another type. */
function cell({ type }: Column, [value]: readonly unknown[], now: number): unknown {
  if (value === undefined) return null;
  if (type === 'string') return textOf(value);
  if (value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      if (typeof value !== 'string') return null;
      const time = parseRfc3339(value);
      return time === undefined ? '<invalid>' : humanDuration(now - time);
    }
    default:
      return null;
  }
}

/**
 * A value as the real server prints it in a table: scalars bare, the rest as JSON with sorted keys.
 */
function textOf(value: unknown): string {
  if (value === null) return '<nil>';
  return typeof value === 'string' ? value : sorted(value);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
