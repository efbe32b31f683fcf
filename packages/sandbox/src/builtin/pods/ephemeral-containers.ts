import { equal } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import type { SubresourceUpdate } from '../../strategy/strategy.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { duplicate, forbidden, required } from '../field-rules.ts';
import type { EphemeralContainer, PodSpec } from './pod-spec.ts';

/**
 * Adds containers to an existing Pod, and never changes existing ones: `kubectl debug`. Other
 * changes of the request are dropped.
 */
export const ephemeralContainersUpdate: SubresourceUpdate = {
  prepare(object, before) {
    const { name, namespace, uid, resourceVersion, managedFields } = object.metadata;
    const { ephemeralContainers } = specOf(object);
    const { ephemeralContainers: _, ...others } = specOf(before);
    const spec = { ...others, ...(ephemeralContainers !== undefined && { ephemeralContainers }) };
    const { generation } = before.metadata;
    const isChanged = !equal(spec, before['spec']);
    return {
      ...before,
      metadata: {
        ...before.metadata,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(managedFields !== undefined && { managedFields }),
        ...(generation !== undefined && { generation: isChanged ? generation + 1 : generation }),
      },
      spec,
    };
  },
  validate(object, before) {
    const spec = specOf(object);
    const { ephemeralContainers: next = [] } = spec;
    return [...containerErrors(next, spec), ...keptErrors(next, specOf(before).ephemeralContainers ?? [])];
  },
};

function specOf(object: Stored): PodSpec {
  const spec: PodSpec = object['spec'] ?? {};
  return spec;
}

const path = 'spec.ephemeralContainers';

/** Fields that would make other objects depend on the container, or take resources from the Pod. */
const notAllowed = ['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'resources'] as const;

function containerErrors(next: readonly EphemeralContainer[], { containers, initContainers }: PodSpec): Errors {
  const others = [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name);
  return next.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { name, image = '', targetContainerName: target = '' } = container;
    const earlier = next.slice(0, index).map((one) => one.name);
    return [
      ...when((name ?? '') === '', required(`${at}.name`)),
      ...when(image === '', required(`${at}.image`)),
      ...when(others.includes(name) || earlier.includes(name), duplicate(`${at}.name`, name)),
      ...when(target !== '' && !others.includes(target), {
        path: `${at}.targetContainerName`,
        type: 'NotFound',
        value: target,
        detail: '',
      }),
      ...notAllowed.flatMap((field) =>
        when(!isEmpty(container[field]), forbidden(`${at}.${field}`, 'cannot be set for an Ephemeral Container')),
      ),
    ];
  });
}

/**
 * The errors of existing ephemeral containers that were changed or removed. The real server's
 * message for a change ends with a difference of its structs; here it ends before.
 */
function keptErrors(next: readonly EphemeralContainer[], before: readonly EphemeralContainer[]): Errors {
  return before.flatMap((had) => {
    const found = next.find(({ name }) => name === had.name);
    const quoted = JSON.stringify(had.name);
    if (found === undefined) return [forbidden(path, `existing ephemeral containers ${quoted} may not be removed\n`)];
    return when(!equal(found, had), forbidden(path, `existing ephemeral containers ${quoted} may not be changed\n`));
  });
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}
