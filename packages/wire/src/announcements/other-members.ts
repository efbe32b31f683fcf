import { parseRfc3339 } from '@isthmus/machinery';
import { isClusterID, listOf, recordOf } from '../untrusted.ts';
import type { EndpointIPType } from './announced-settings.ts';
import { isEndpointIPType } from './announced-settings.ts';

/** What a leader knows of a member, and another member has to know (docs/spec/wire.md §9). */
export interface OtherMember {
  readonly clusterID: string;
  /** Its last heartbeat, RFC 3339, if it sends no more. */
  readonly silentSince?: string | undefined;
  /** What its endpoints are, if that differs from those of the reader. */
  readonly endpointIPType?: EndpointIPType | undefined;
}

/** An object of an API server is limited, so further members are left out. */
const mostMembers = 100;
const longest = 16_384;

/** The value of the annotation; undefined: nothing has to be known. */
export function otherMembersText(members: readonly OtherMember[]): string | undefined {
  return members.length === 0 ? undefined : JSON.stringify(members.slice(0, mostMembers));
}

/** The members in the value of the annotation that are well-formed, by their IDs. */
export function parseOtherMembers(text: string | undefined): ReadonlyMap<string, OtherMember> {
  if (text === undefined || text.length > longest) return new Map();
  let values: readonly unknown[];
  try {
    values = listOf(JSON.parse(text)) ?? [];
  } catch {
    return new Map();
  }
  return new Map(
    values.slice(0, mostMembers).flatMap((value) => {
      const { clusterID, silentSince, endpointIPType } = recordOf(value) ?? {};
      if (!isClusterID(clusterID)) return [];
      const known = {
        clusterID,
        ...(typeof silentSince === 'string' && parseRfc3339(silentSince) !== undefined && { silentSince }),
        ...(isEndpointIPType(endpointIPType) && { endpointIPType }),
      };
      return [[clusterID, known] as const];
    }),
  );
}
