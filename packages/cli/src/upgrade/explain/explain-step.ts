import type { Change, Plan, Policy, Step } from '@isthmus/upgrade';
import { howTo } from './how-to.ts';
import type { HowContext } from './how-to.ts';

/** A step as text for users. Ends with a line end. */
export function explainStep(step: Step, { spec }: Plan, policies: readonly Policy[], path: string): string {
  const followers = spec.steps.filter(({ after }) => after.includes(step.id)).map(titled);
  const before = step.after.map((id) => titled(spec.steps.find((one) => one.id === id) ?? { id, title: '' }));
  const about = spec.findings.filter(
    ({ subject, clusters }) =>
      step.component !== undefined &&
      (subject.component === step.component || step.objects.includes(subject.object ?? '')) &&
      (step.cluster === undefined ? clusters.length === 0 : clusters.includes(step.cluster)),
  );
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Why', [`${step.why}.`]],
    ['Applicable rules', rulesAbout(step, changeOf(step, spec)?.type, policies)],
    ['How', howTo(step, howContext(step, spec, path))],
    ['Objects', step.objects],
    ['Artifacts', step.artifacts],
    ['Checks before', step.gates.filter(({ at }) => at === 'before').map(gateText)],
    ['Checks after', step.gates.filter(({ at }) => at === 'after').map(gateText)],
    ['Meanwhile', step.interrupts],
    ['Versions afterwards', step.effects.map(effectText)],
    ['Requires', before],
    ['Required by', followers],
    ['Findings', about.map(({ severity, rule, why }) => `${severity} ${rule}: ${why}`)],
    ['If it fails', failureText(step, spec)],
  ];
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.map((one) => `  ${one}`).join('\n')}`);
  return `${[`${step.id} ${step.title} (${step.kind}, ${step.group}${step.wave > 0 ? `, wave ${step.wave}` : ''})`, ...body].join('\n\n')}\n`;
}

function howContext(step: Step, spec: Plan['spec'], plan: string): HowContext {
  const change = changeOf(step, spec);
  const context = spec.snapshot.clusters.find(({ name }) => name === step.cluster)?.context ?? step.cluster ?? '';
  const at = spec.steps.findIndex(({ id }) => id === step.id);
  const isSame = (one: Step) =>
    one.component === step.component && one.cluster === step.cluster && one.kind === step.kind;
  const isLast = !spec.steps.slice(at + 1).some(isSame);
  return { plan, context, method: change?.method, type: change?.type, version: change?.to.version, isLast };
}

/** The change that a step belongs to. */
function changeOf({ component, cluster }: Step, { changes }: Plan['spec']): Change | undefined {
  return changes.find((one) => one.component === component && one.cluster === cluster);
}

function titled({ id, title }: Pick<Step, 'id' | 'title'>): string {
  return title === '' ? id : `${id} ${title}`;
}

function gateText({ what, seconds }: Step['gates'][number]): string {
  return seconds === undefined ? what : `${what} (within ${seconds} s)`;
}

function effectText({ component, cluster, node, name, from, to }: Step['effects'][number]): string {
  const where = [cluster, node, name].filter((one) => one !== undefined).join(' ');
  return `${component}${where === '' ? '' : ` of ${where}`}: ${from === '' ? 'unknown' : from} → ${to}`;
}

/**
 * The rules that the step names, and those about the versions of its component, each with its
 * source.
 */
function rulesAbout({ why }: Step, type: string | undefined, policies: readonly Policy[]): readonly string[] {
  const rules = policies.flatMap(({ spec }) => [
    ...spec.order.map(({ id, first, next, source, message }) => ({
      id,
      types: [first, next],
      source,
      says: message ?? `${first} moves before ${next}`,
    })),
    ...spec.skew.map(({ id, subject, reference, source, message }) => ({
      id,
      types: [subject, reference],
      source,
      says: message ?? `${subject} and ${reference} stay within their supported version skew`,
    })),
    ...spec.hops.map(({ id, subject, source, message, maxMinors }) => ({
      id,
      types: [subject],
      source,
      says: message ?? `at most ${maxMinors} minors at once`,
    })),
  ]);
  const isNamed = (id: string) => why.includes(`(${id})`);
  return rules
    .filter(({ id, types }) => isNamed(id) || (type !== undefined && types.includes(type)))
    .map(({ id, says, source }) => `${id}: ${says} (${source})`)
    .toSorted();
}

function failureText(step: Step, { pointOfNoReturn, steps }: Plan['spec']): readonly string[] {
  const at = steps.findIndex(({ id }) => id === step.id);
  const barrier = pointOfNoReturn === undefined ? -1 : steps.findIndex(({ id }) => id === pointOfNoReturn.step);
  const waiting = steps.filter(({ after }) => after.includes(step.id)).length;
  const stops =
    waiting === 0
      ? 'No other step depends on it.'
      : 'Steps that depend on it do not start; steps that run in parallel finish.';
  const state = step.rolling
    ? 'Old and new versions may run side by side as long as needed: the rules allow it.'
    : 'The rules are met both before and after it.';
  const back =
    barrier >= 0 && at >= barrier
      ? `It cannot be rolled back: after step ${pointOfNoReturn?.step ?? ''} there is no way back (${pointOfNoReturn?.reasons.join('; ') ?? ''}).`
      : step.reversible
        ? 'No step up to here is a point of no return. To go back, plan with the earlier bundle: a component is downgraded only if its rules allow it.'
        : 'It cannot be rolled back.';
  return [stops, state, back, 'A new plan from a new snapshot continues where this one stopped.'];
}
