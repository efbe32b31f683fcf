import { none, orNone } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';

interface NodeShape {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

export const nodeColumns = defineColumns<NodeShape>({
  Name: nameColumn,
  Status: ['string', statusOf],
  Roles: ['string', ({ metadata }) => rolesOf(metadata.labels ?? {})],
  Age: ageColumn,
  Version: ['string', 'status.nodeInfo.kubeletVersion'],
  'Internal-IP': ['wide', (object) => addressOf(object, 'InternalIP')],
  'External-IP': ['wide', (object) => addressOf(object, 'ExternalIP')],
  'OS-Image': ['wide', ({ status }) => status?.nodeInfo?.['osImage'] || unknown],
  'Kernel-Version': ['wide', kernelText],
  'Container-Runtime': ['wide', ({ status }) => status?.nodeInfo?.['containerRuntimeVersion'] || unknown],
});

const unknown = '<unknown>';

function statusOf({ spec, status }: NodeShape): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function kernelText({ status }: NodeShape): string {
  const { kernelVersion = '', architecture = '' } = status?.nodeInfo ?? {};
  return `${kernelVersion || unknown}${architecture === '' ? '' : ` (${architecture})`}`;
}

/** `node-role.kubernetes.io/<role>` and `kubernetes.io/role: <role>`, bytewise. */
function rolesOf(labels: Readonly<Record<string, string>>): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
  const all = new Set([...roles, labels['kubernetes.io/role'] ?? ''].filter((role) => role !== ''));
  return orNone([...all].toSorted((a, b) => (a < b ? -1 : 1)).join(','));
}

function addressOf({ status }: NodeShape, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? none;
}
