import { inRange, parseVersionRange } from '../../version/parse-version-range.ts';
import type { Component, Hook } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { fullVersion, isDisabled, placedComponents, versionOf } from '../components-of.ts';
import type { Found } from './lint-context.ts';

/** Tasks for users beside an upgrade must be possible, and some upgrade must require them. */
export function* hookRules(bundle: ComponentBundle): Iterable<Found> {
  const facts = new Map<string, { readonly equals: string; readonly component: string; readonly hook: string }>();
  for (const { component, path } of placedComponents(bundle)) {
    if (isDisabled(component)) continue;
    for (const [index, hook] of component.hooks.entries()) {
      const subject = { component: component.id, path: `${path}.hooks[${index}]` };
      if (neverDue(hook, component)) {
        yield {
          rule: 'bundle.hook',
          severity: 'warn',
          subject,
          why: `the hook ${hook.id} of ${component.id} is for upgrades from ${hook.whenFrom}, but none of these is older than ${fullVersion(component)}`,
          unblock: 'correct whenFrom, or remove the hook',
        };
      }
      const { at, doneWhen } = hook;
      if (doneWhen === undefined || at !== 'before') continue;
      const other = facts.get(doneWhen.fact);
      facts.set(doneWhen.fact, other ?? { equals: doneWhen.equals, component: component.id, hook: hook.id });
      if (other === undefined || other.equals === doneWhen.equals) continue;
      yield {
        rule: 'bundle.hook',
        severity: 'block',
        subject,
        why:
          `the hook ${hook.id} of ${component.id} is done when ${doneWhen.fact} is ${JSON.stringify(doneWhen.equals)}, ` +
          `${other.hook} of ${other.component} when it is ${JSON.stringify(other.equals)}: both can never be done at the same time`,
        unblock: 'use the same value, or two facts',
      };
    }
  }
}

/**
 * Whether every version of its range is this one or lies after it: whole versions are tried at the
 * bounds.
 */
function neverDue({ whenFrom }: Hook, component: Component): boolean {
  const range = whenFrom === undefined ? undefined : parseVersionRange(whenFrom);
  const { core } = versionOf(component);
  if (range === undefined || 'problem' in range || core === undefined) return false;
  const below = parseVersionRange(`<${core.major}.${core.minor}.${core.patch}`);
  const both = parseVersionRange(`${range.text} ${'problem' in below ? '' : below.text}`);
  // A rebuild of the same release is an upgrade from it, too.
  return ('problem' in below || 'problem' in both) && !inRange(versionOf(component), range);
}
