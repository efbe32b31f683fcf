import { s } from '@isthmus/schema';

/** A SHA-256 digest, as in images. */
export const digestText = () => s.string().pattern('^sha256:[0-9a-f]{64}$');

/** A minor, as `1.31`; never with a leading `v` or a patch. */
export const minorText = () => s.string().pattern('^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$');

/** The id of a component, cluster, rule or step in a file: lower-case words, dots and dashes. */
export const idText = () => s.string().minLength(1).maxLength(253).pattern('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$');

/** A range of versions, as `>=1.13.0 <2.0.0`. */
export const rangeText = () => s.string().maxLength(256);

/** A version, in any scheme; lower-case. */
export const versionText = () => s.string().minLength(1).maxLength(256);

/** The part that a cluster plays. A cluster may play several. */
export const clusterRoles = ['management', 'workload', 'leader', 'member'] as const;
export type ClusterRole = (typeof clusterRoles)[number];

/**
 * How certain a rule is, or how severe its breach is: `block` stops the plan, `warn` lets it pass
 * with a warning, `info` is a note.
 */
export const severities = ['block', 'warn', 'info'] as const;
export type Severity = (typeof severities)[number];
