import { roleFacts } from './role-facts.ts';

/**
 * The command that restores the CRDs of a role. The whole manifest would also reset changed
 * settings in it, such as `endpointIPType`.
 */
export const applyDefinitions = (role: keyof typeof roleFacts): string =>
  `kubectl apply -f ${roleFacts[role].manifests.definitions} (with Helm: helm upgrade)`;

/**
 * The command that restores everything of a manifest, with a warning that it also resets its
 * settings.
 */
export const applyManifest = (manifest: string): string =>
  `kubectl apply -f ${manifest}, with the settings that you changed in it (with Helm: helm upgrade)`;

/** {@link applyManifest} for the usual manifest of a role. */
export const applyAll = (role: keyof typeof roleFacts): string => applyManifest(roleFacts[role].manifests.all);
