import type { Component } from '../bundle/component.ts';
import { fullVersion } from '../bundle/components-of.ts';
import { orderedFindings } from '../finding-order.ts';
import type { Finding } from '../finding.ts';
import { inRange, parseVersionRange } from '../version/parse-version-range.ts';
import { parseVersion } from '../version/parse-version.ts';

/**
 * Which requirements of components that would run together in a cluster are not met (acceptance case 31): another component that is missing, of a
 * version out of range, or without a contract that is needed. Give those that stay as their own bundle has them, beside those that move.
 */
export function requirementFindings(components: readonly Component[], cluster?: string): readonly Finding[] {
  const byId = new Map(components.map((component) => [component.id, component]));
  return orderedFindings(
    components.flatMap((component) =>
      component.requires.flatMap((requirement): readonly Finding[] => {
        const { component: id, range, contract, reason } = requirement;
        const other = byId.get(id);
        const problem = requirementProblem(other, range, contract);
        if (problem === undefined) return [];
        const [self, what] = [
          `${component.id} ${fullVersion(component)}`,
          other === undefined ? id : `${id} ${fullVersion(other)}`,
        ];
        return [
          {
            rule: 'bundle.requirement',
            severity: 'block',
            subject: { ...(cluster === undefined ? {} : { cluster }), component: component.id },
            why: `${self} requires ${id}${range === undefined ? '' : ` ${range}`}${contract === undefined ? '' : ` with contract ${contract}`}${reason === undefined ? '' : ` (${reason})`}; ${what} ${problem}`,
            unblock:
              other === undefined
                ? `install ${id} first, or include it`
                : `include ${component.id} in the same upgrade, at a version that goes with ${what}; or keep ${id} at one that goes with ${self}`,
            source: `the bundle, ${component.id}.requires`,
          },
        ];
      }),
    ),
  );
}

function requirementProblem(
  other: Component | undefined,
  range: string | undefined,
  contract: string | undefined,
): string | undefined {
  if (other === undefined) return 'is not there';
  if (contract !== undefined && !other.contracts.includes(contract)) {
    const has = other.contracts.length === 0 ? 'none' : other.contracts.join(', ');
    return `does not implement it (it implements ${has})`;
  }
  const versions = range === undefined ? undefined : parseVersionRange(range);
  if (versions === undefined || 'problem' in versions) return undefined;
  const { upstream, scheme } = other.version;
  return inRange(parseVersion(upstream, scheme), versions) ? undefined : 'is not in that range';
}
