import type { Stored } from '../store/stored.ts';
import { watchLine } from './encoding.ts';
import type { Encoding } from './encoding.ts';
import type { ColumnDefinition, TableColumns } from '../registry/table-columns.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Objects as rows of a `meta.k8s.io/v1` Table. */
export function tableEncoding(now: () => number, include: IncludeObject): Encoding {
  const row = (columns: TableColumns, object: Stored) => ({
    cells: columns.cells(object, now()),
    ...conditionsOf(columns, object),
    ...(include === 'None' ? { object: null } : { object: include === 'Object' ? object : partialOf(object) }),
  });
  const table = (metadata: object, columnDefinitions: readonly ColumnDefinition[] | null, rows: readonly object[]) =>
    JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows });
  return {
    contentType: 'application/json',
    object: ({ columns }, object) =>
      table({ resourceVersion: object.metadata.resourceVersion }, columns.definitions, [row(columns, object)]),
    list: ({ columns }, objects, metadata) =>
      table(
        metadata,
        columns.definitions,
        objects.map((object) => row(columns, object)),
      ),
    // The first event of a watch has the column definitions.
    event(type, { columns }, object, index) {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      return watchLine(type, table(metadata, index === 0 ? columns.definitions : null, [row(columns, object)]));
    },
    bookmark: (_, resourceVersion) => table({ resourceVersion }, null, []),
  };
}

function conditionsOf({ conditions }: TableColumns, object: Stored): object {
  const found = conditions?.(object);
  return found === undefined ? {} : { conditions: found };
}

function partialOf({ metadata }: Stored): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
