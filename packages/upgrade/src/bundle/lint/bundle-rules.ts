import type { ComponentBundle } from '../component-bundle.ts';
import { placedComponents } from '../components-of.ts';
import { engineProblem } from '../engine-problem.ts';
import type { Found, LintContext } from './lint-context.ts';

/** Checks the bundle as a whole. */
export function* bundleRules(bundle: ComponentBundle, context: LintContext): Iterable<Found> {
  yield* duplicates(bundle);
  yield* policies(bundle, context);
  const engine = engineProblem(bundle, context.engineVersion);
  if (engine !== undefined) {
    yield { rule: 'bundle.engine', severity: 'block', subject: { path: 'spec.engine' }, ...engine };
  }
  yield* times(bundle, context);
  yield* numbers(bundle, context);
}

/**
 * Two files that were mixed up: everything that is compared with the older one would be the wrong
 * way round.
 */
function* numbers({ spec: { number } }: ComponentBundle, { older }: LintContext): Iterable<Found> {
  const others = older.filter(({ spec }) => spec.number >= number);
  if (others.length === 0) return;
  const names = others.map(({ metadata, spec }) => `${metadata.name} (number ${spec.number})`).toSorted();
  yield {
    rule: 'bundle.number',
    severity: 'warn',
    subject: { path: 'spec.number' },
    why: `its number is ${number}, not greater than that of ${names.join(', ')}, which was given as older`,
    unblock: 'exchange the two files if they were mixed up, or give the bundle the next number',
  };
}

/**
 * A file with an id twice in one list is refused when it is read; bundles may also come from other
 * formats.
 */
function* duplicates(bundle: ComponentBundle): Iterable<Found> {
  const firsts = new Map<string, string>();
  for (const { component, path, minor } of placedComponents(bundle)) {
    const key = `${minor ?? ''} ${component.id}`;
    const first = firsts.get(key);
    firsts.set(key, first ?? path);
    if (first === undefined) continue;
    yield {
      rule: 'bundle.duplicate-id',
      severity: 'block',
      subject: { component: component.id, path },
      why: `the id ${component.id} is used here and at ${first}: one of the two would be ignored`,
      unblock: 'give each component its own id',
    };
  }
}

function* policies(bundle: ComponentBundle, context: LintContext): Iterable<Found> {
  for (const [index, { name, digest }] of bundle.spec.policies.entries()) {
    const found = context.policyDigests?.get(name);
    if (digest !== undefined && found !== undefined && found !== digest) {
      yield {
        rule: 'bundle.policy-digest',
        severity: 'block',
        subject: { path: `spec.policies[${index}].digest` },
        why: `the available policy ${name} has the digest ${found}, but the bundle requires ${digest}`,
        unblock: 'pass the policy that the bundle was made for, or pin this one',
      };
    }
    if (context.policies.includes(name)) continue;
    const known = context.policies.toSorted().join(', ') || 'none';
    yield {
      rule: 'bundle.policy-unknown',
      severity: 'block',
      subject: { path: `spec.policies[${index}]` },
      why: `the policy ${name} is not available; available policies: ${known}`,
      unblock: 'pass its file with --policy, or correct the name',
    };
  }
}

function* times(bundle: ComponentBundle, { now }: LintContext): Iterable<Found> {
  const { createdAt, expiresAt } = bundle.spec;
  if (expiresAt === undefined) return;
  const subject = { path: 'spec.expiresAt' };
  if (Date.parse(expiresAt) <= Date.parse(createdAt)) {
    yield {
      rule: 'bundle.expired',
      severity: 'block',
      subject,
      why: `it expires at ${expiresAt}, not after it was made at ${createdAt}`,
      unblock: 'correct one of the two',
    };
  } else if (now !== undefined && Date.parse(expiresAt) <= Date.parse(now)) {
    yield {
      rule: 'bundle.expired',
      severity: 'warn',
      subject,
      why: `it expired at ${expiresAt}, and it is ${now}`,
      unblock: 'use the latest bundle of its channel',
    };
  }
}
