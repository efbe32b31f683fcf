import type { Family } from './attack.ts';
import { announcements } from './announcements.ts';
import { endpoints } from './endpoints.ts';
import { gateways } from './gateways.ts';
import { ranges } from './ranges.ts';
import { againstPolicies, withoutRights } from './requests.ts';
import { conflicts, namespaces, quotas } from './services.ts';

/** All attacks by a member with a valid token. */
export const families: readonly Family[] = [
  ranges,
  gateways,
  endpoints,
  namespaces,
  conflicts,
  quotas,
  announcements,
  withoutRights,
  againstPolicies,
];
