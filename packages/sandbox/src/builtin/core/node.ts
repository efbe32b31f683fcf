import { equal, labelValueErrors } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { isIPv6, legacyNetwork } from '../address-rules.ts';
import { compact, duplicate, forbidden, invalid, notSupported, qualifiedName, required } from '../field-rules.ts';
import { specOrStatus } from '../reset-fields.ts';
import { nodeColumns } from './node-columns.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { textAt } from '../selectable-fields.ts';

const nodeStrategy: Partial<Strategy> = {
  resetFields: specOrStatus,
  defaults: withAllocatable,
  prepareForCreate: (object) => withoutConfig(tainted(object)),
  prepareForUpdate: (object, before) => withoutConfig({ ...object, ...statusOf(before) }),
  prepareForStatusUpdate: (object, before) => ({ ...object, spec: before['spec'] }),
  validate: nodeErrors,
  validateUpdate: (object, before) => [...nodeErrors(object), ...nodeUpdateErrors(object, before)],
  validateStatusUpdate: nodeUpdateErrors,
};

export const node = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  subresources: [statusSubresource],
  columns: nodeColumns,
  selectable: { 'spec.unschedulable': (object) => textAt(object, 'spec.unschedulable') || 'false' },
  strategy: nodeStrategy,
});

interface Taint {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

interface NodeSpec {
  readonly podCIDR?: string | undefined;
  readonly podCIDRs?: readonly string[] | undefined;
  readonly providerID?: string | undefined;
  readonly externalID?: string | undefined;
  readonly taints?: readonly Taint[] | undefined;
  readonly configSource?: unknown;
}

interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  readonly allocatable?: Readonly<Record<string, string>> | undefined;
  readonly addresses?: readonly object[] | undefined;
}

const specOf = (object: Stored) => (object['spec'] ?? {}) as NodeSpec;
const nodeStatusOf = (object: Stored) => (object['status'] ?? {}) as NodeStatus;
const statusOf = (object: Stored) => (object['status'] === undefined ? {} : { status: object['status'] });

function withAllocatable(object: Stored): Stored {
  const { capacity, allocatable } = nodeStatusOf(object);
  const { podCIDR, podCIDRs } = specOf(object);
  const spec =
    podCIDR !== undefined && podCIDRs === undefined ? { ...specOf(object), podCIDRs: [podCIDR] } : object['spec'];
  if (capacity === undefined) return { ...object, spec };
  return { ...object, spec, status: { ...nodeStatusOf(object), allocatable: { ...capacity, ...allocatable } } };
}

/**
 * A new Node is tainted as not ready until a controller removes the taint (admission plugin
 * TaintNodesByCondition).
 */
function tainted(object: Stored): Stored {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const { taints = [] } = specOf(object);
  const has = taints.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  return has ? object : { ...object, spec: { ...specOf(object), taints: [...taints, taint] } };
}

function withoutConfig(object: Stored): Stored {
  return { ...object, spec: compact({ ...specOf(object), configSource: undefined }) };
}

function nodeErrors(object: Stored): readonly FieldError[] {
  const { podCIDRs = [] } = specOf(object);
  const path = 'spec.podCIDRs';
  const errors = [...taintErrors(object), ...resourceErrors(object)];
  podCIDRs.forEach((range, index) => errors.push(...legacyNetwork(`${path}[${index}]`, range)));
  const families = podCIDRs.map((range) => isIPv6(range.split('/')[0] ?? ''));
  if (podCIDRs.length > 2 || (podCIDRs.length === 2 && families[0] === families[1])) {
    errors.push(invalid(path, podCIDRs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

/** The errors of an update of a Node. */
export function nodeUpdateErrors(object: Stored, before: Stored): readonly FieldError[] {
  const spec = specOf(object);
  const had = specOf(before);
  const errors: FieldError[] = [...resourceErrors(object)];
  const { addresses = [] } = nodeStatusOf(object);
  addresses.forEach((address, index) => {
    if (addresses.slice(0, index).some((earlier) => equal(earlier, address))) {
      errors.push(duplicate(`status.addresses[${index}]`, address));
    }
  });
  const fixed = (path: string, what: string) =>
    forbidden(path, `node updates may not change ${what} except from "" to valid`);
  const ranges = podRanges(spec);
  if ((had.podCIDRs ?? []).length > 0 && !equal(had.podCIDRs, ranges)) {
    errors.push(fixed('spec.podCIDRs', 'podCIDR'));
  }
  if ((had.providerID ?? '') !== '' && had.providerID !== spec.providerID) {
    errors.push(fixed('spec.providerID', 'providerID'));
  }
  errors.push(...taintErrors(object));
  if ((spec.externalID ?? '') !== (had.externalID ?? ''))
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  return errors;
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The path is the real server's: `metadata.taints`, though the field is in the spec. */
function taintErrors(object: Stored): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (specOf(object).taints ?? []).forEach((taint, index) => {
    const { key = '', value = '', effect = '' } = taint;
    const path = `metadata.taints[${index}]`;
    errors.push(...qualifiedName(`${path}.key`, key));
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalid(`${path}.value`, value, wrong.join(';')));
    if (effect === '') errors.push(required(`${path}.effect`));
    else if (!effects.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, effects));
    if (seen.has(`${key} ${effect}`)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: null };
      errors.push({
        ...duplicate(path, { toJSON: () => shown }),
        detail: 'taints must be unique by key and effect pair',
      });
    }
    seen.add(`${key} ${effect}`);
  });
  return errors;
}

function resourceErrors(object: Stored): readonly FieldError[] {
  const { capacity = {}, allocatable = {} } = nodeStatusOf(object);
  const negative = (path: string, amounts: Readonly<Record<string, string>>) =>
    Object.entries(amounts).flatMap(([name, amount]) =>
      amount.startsWith('-') ? [invalid(`${path}.${name}`, amount, 'must be greater than or equal to 0')] : [],
    );
  return [...negative('status.capacity', capacity), ...negative('status.allocatable', allocatable)];
}

/** If the two fields differ, the older one counts. */
function podRanges({ podCIDR, podCIDRs = [] }: NodeSpec): readonly string[] {
  return podCIDR === undefined || podCIDR === podCIDRs[0] ? podCIDRs : [podCIDR];
}
