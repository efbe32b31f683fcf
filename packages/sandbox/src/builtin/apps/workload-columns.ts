import type { LabelSelectorObject } from '@isthmus/machinery';
import type { TableColumns } from '../../registry/table-columns.ts';
import { labelsText, selectorText } from '../columns/cell-texts.ts';
import { containerColumns } from '../columns/container-columns.ts';
import type { Column } from '../columns/define-columns.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';

interface WorkloadShape {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelectorObject;
    readonly template?: { readonly spec?: { readonly nodeSelector?: Readonly<Record<string, string>> } };
  };
  readonly status?: { readonly readyReplicas?: number };
}

/** The columns of a workload between its name and its age. */
type OwnColumns = Readonly<Record<string, Column<WorkloadShape>>>;

const ready: Column<WorkloadShape> = [
  'string',
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
];

export const daemonSetColumns = workloadColumns({
  Desired: ['integer', 'status.desiredNumberScheduled'],
  Current: ['integer', 'status.currentNumberScheduled'],
  Ready: ['integer', 'status.numberReady'],
  'Up-to-date': ['integer', 'status.updatedNumberScheduled'],
  Available: ['integer', 'status.numberAvailable'],
  'Node Selector': ['string', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)],
});

export const deploymentColumns = workloadColumns({
  Ready: ready,
  'Up-to-date': ['string', 'status.updatedReplicas', 0],
  Available: ['string', 'status.availableReplicas', 0],
});

export const replicaSetColumns = workloadColumns({
  Desired: ['integer', 'spec.replicas'],
  Current: ['integer', 'status.replicas'],
  Ready: ['integer', 'status.readyReplicas'],
});

export const statefulSetColumns = workloadColumns({ Ready: ready }, { showsSelector: false });

function workloadColumns(own: OwnColumns, { showsSelector = true } = {}): TableColumns {
  const selector: OwnColumns = { Selector: ['wide', ({ spec }) => selectorText(spec?.selector)] };
  return defineColumns<WorkloadShape>({
    Name: nameColumn,
    ...own,
    Age: ageColumn,
    ...containerColumns('spec.template', 'wide'),
    ...(showsSelector ? selector : {}),
  });
}
