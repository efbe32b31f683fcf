import type { LabelSelectorObject } from '@isthmus/machinery';
import type { TableColumns } from '../../registry/table-columns.ts';
import type { Stored } from '../../store/stored.ts';
import { ageOf } from '../name-and-age.ts';
import { labelsText, selectorText } from '../columns/cell-texts.ts';
import { defineColumns } from '../columns/define-columns.ts';

interface WorkloadShape {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelectorObject;
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly { readonly name?: string; readonly image?: string }[];
        readonly nodeSelector?: Readonly<Record<string, string>>;
      };
    };
  };
  readonly status?: Readonly<Record<string, number>>;
}

/**
 * The columns of a workload between its name and its age. A cell may name a field of the status,
 * which is a number.
 */
type OwnColumns = Readonly<
  Record<string, readonly ['string' | 'integer', string | ((workload: WorkloadShape) => unknown)]>
>;

const ready = ({ spec, status }: WorkloadShape) => `${status?.['readyReplicas'] ?? 0}/${spec?.replicas ?? 0}`;

export const daemonSetColumns = workloadColumns({
  Desired: ['integer', 'desiredNumberScheduled'],
  Current: ['integer', 'currentNumberScheduled'],
  Ready: ['integer', 'numberReady'],
  'Up-to-date': ['integer', 'updatedNumberScheduled'],
  Available: ['integer', 'numberAvailable'],
  'Node Selector': ['string', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)],
});

export const deploymentColumns = workloadColumns({
  Ready: ['string', ready],
  'Up-to-date': ['string', 'updatedReplicas'],
  Available: ['string', 'availableReplicas'],
});

export const replicaSetColumns = workloadColumns({
  Desired: ['integer', ({ spec }) => spec?.replicas ?? 0],
  Current: ['integer', 'replicas'],
  Ready: ['integer', 'readyReplicas'],
});

export const statefulSetColumns = workloadColumns({ Ready: ['string', ready] }, { showsSelector: false });

function workloadColumns(own: OwnColumns, { showsSelector = true } = {}): TableColumns {
  const forms = Object.fromEntries(Object.entries(own).map(([title, [form]]) => [title, form]));
  const cells = Object.values(own).map(([, cell]) =>
    typeof cell === 'string' ? ({ status }: WorkloadShape) => status?.[cell] ?? 0 : cell,
  );
  return defineColumns<WorkloadShape>(
    {
      Name: 'name',
      ...forms,
      Age: 'string',
      Containers: 'wide',
      Images: 'wide',
      ...(showsSelector && { Selector: 'wide' as const }),
    },
    (object: Stored & WorkloadShape, now) => {
      const { selector, template } = object.spec ?? {};
      const containers = template?.spec?.containers ?? [];
      return [
        object.metadata.name,
        ...cells.map((cell) => cell(object)),
        ageOf(object, now),
        containers.map(({ name = '' }) => name).join(','),
        containers.map(({ image = '' }) => image).join(','),
        ...(showsSelector ? [selectorText(selector)] : []),
      ];
    },
  );
}
