import { clusterIDErrors } from '@isthmus/api';
import { labelValueErrors, maxLabelLength, qualifiedNameErrors, visibleText } from '@isthmus/machinery';

/** `value` as an object whose fields may have any content; undefined if it is not an object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** `value` as a list with any content; undefined if it is not a list. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** `null` and a missing field mean the same. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * A value in the form for messages: at most a few dozen printable characters, and without the
 * content of objects.
 */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // JSON escapes half of the control characters, and leaves the others.
      return visibleText(JSON.stringify(value.length > 64 ? `${value.slice(0, 63)}…` : value));
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return isAbsent(value) ? 'nothing' : Array.isArray(value) ? 'a list' : 'an object';
  }
}

/** Whether a text can be a cluster ID in names and labels of the wire. */
export function isClusterID(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLabelLength && clusterIDErrors(value).length === 0;
}

/**
 * A qualified name (`name` or `prefix/name`): the requirement of Kubernetes for appProtocol, label
 * keys and annotation keys.
 */
export function isQualifiedName(value: unknown): value is string {
  // The longest prefix, the slash, the longest name.
  return typeof value === 'string' && value.length <= 317 && qualifiedNameErrors(value).length === 0;
}

export function isLabelValue(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLabelLength && labelValueErrors(value).length === 0;
}
