import { none, orNone } from '../../columns/cell-texts.ts';
import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

interface NodeShape {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

export const nodeColumns = defineColumns<NodeShape>(
  {
    Name: 'name',
    Status: 'string',
    Roles: 'string',
    Age: 'string',
    Version: 'string',
    'Internal-IP': 'wide',
    'External-IP': 'wide',
    'OS-Image': 'wide',
    'Kernel-Version': 'wide',
    'Container-Runtime': 'wide',
  },
  (object, now) => {
    const info = object.status?.nodeInfo ?? {};
    const { architecture = '' } = info;
    return [
      object.metadata.name,
      statusOf(object),
      rolesOf(object.metadata.labels ?? {}),
      ageOf(object, now),
      info['kubeletVersion'] ?? '',
      addressOf(object, 'InternalIP'),
      addressOf(object, 'ExternalIP'),
      info['osImage'] || unknown,
      `${info['kernelVersion'] || unknown}${architecture === '' ? '' : ` (${architecture})`}`,
      info['containerRuntimeVersion'] || unknown,
    ];
  },
);

const unknown = '<unknown>';

function statusOf({ spec, status }: NodeShape): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
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
