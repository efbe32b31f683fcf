import { clusterIDErrors } from '@isthmus/api';
import { labelValueErrors, maxLabelLength, qualifiedNameErrors, visibleText } from '@isthmus/machinery';

/** `value` as an object whose fields may hold anything, or undefined where it is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** `value` as a list that may hold anything, or undefined where it is none. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** `null` and a missing field say the same. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A value as a message may quote it: at most a few dozen printable characters, and nothing of what is inside objects. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // JSON escapes half of the control characters, and none of the others.
      return visibleText(JSON.stringify(value.length > 64 ? `${value.slice(0, 63)}…` : value));
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return isAbsent(value) ? 'nothing' : Array.isArray(value) ? 'a list' : 'an object';
  }
}

/** A cluster ID as names and labels of the wire can carry it. */
export function isClusterID(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLabelLength && clusterIDErrors(value).length === 0;
}

/** A qualified name (`name` or `prefix/name`): what Kubernetes asks of appProtocol, label keys and annotation keys. */
export function isQualifiedName(value: unknown): value is string {
  // The longest prefix, the slash, the longest name.
  return typeof value === 'string' && value.length <= 317 && qualifiedNameErrors(value).length === 0;
}

export function isLabelValue(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLabelLength && labelValueErrors(value).length === 0;
}
