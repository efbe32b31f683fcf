import { isRecord } from '@isthmus/machinery';
import { isCheckedStringFormat } from '@isthmus/schema';
import type { CrdFinding, ObjectHits } from './crd-finding.ts';
import type { CrdRuleId } from './crd-rule.ts';
import type { ObjectProblemGroup, ObjectsReport } from './object-problem.ts';
import { crdRule } from './rules.ts';
import type { CompileRules } from './rules-engine.ts';
import type { ServerVersion } from './server-version.ts';

/** Rules about stored values, whose severity the stored objects decide. */
const aboutValues: readonly CrdRuleId[] = [
  'F01',
  'F02',
  'F03',
  'F05',
  'F08',
  'F09',
  'F11',
  'F12',
  'F13',
  'F14',
  'F16',
  'F17',
  'F21',
  'F22',
  'F23',
  'F24',
  'F25',
  'F26',
  'F27',
  'F30',
  'F34',
];
/** Rules that the schemas alone cannot decide: they become B if an object is affected. */
const undecided: readonly CrdRuleId[] = ['F14', 'F34'];

/**
 * Changes that are harmless in most objects, and of which the schemas do not show in which they are
 * not: new defaults, rules about updates, and fields where anything was kept.
 */
const unforeseen: readonly CrdRuleId[] = ['F19', 'F31', 'F36', 'F37'];

/**
 * Whether API servers of this version forgive what an update leaves as it was (KEP-4008: on from
 * 1.30).
 */
export function ratchets({ minor }: ServerVersion): boolean {
  if (minor === undefined) return false;
  const [major = 0, second = 0] = minor.split('.').map(Number);
  return major > 1 || (major === 1 && second >= 30);
}

interface Context {
  readonly server: ServerVersion;
  readonly objects?: ObjectsReport | undefined;
  readonly compileRules?: CompileRules | undefined;
}

/**
 * A finding for these servers and these objects. Without objects the rule's severity stays, except
 * that B of a ratcheted rule is R if all servers ratchet. With objects, the severity is B only if
 * an object is affected.
 */
export function adjusted(finding: CrdFinding, { server, objects, compileRules }: Context): CrdFinding {
  const rule = crdRule(finding.rule);
  if (rule.id === 'G07') return inUse(finding, objects);
  if (unforeseen.includes(rule.id)) return finding.comparedWith === undefined ? ofStruck(finding, objects) : finding;
  // A finding that is already milder than its rule stays so.
  if (finding.severity !== rule.severity) return finding;
  // An update at one version compares with the stored object as that version reads it: it ratchets
  // between versions too.
  if (finding.comparedWith !== undefined)
    return rule.ratcheted && rule.severity === 'B' && ratchets(server) ? ratcheted(finding) : finding;
  const hits = aboutValues.includes(rule.id) ? hitsOf(finding, objects) : undefined;
  const isDecided = hits !== undefined && isJudged(finding, compileRules !== undefined);
  const counted = hits === undefined ? finding : { ...finding, hits };
  const severity = hits !== undefined && hits.count > 0 && undecided.includes(rule.id) ? 'B' : rule.severity;
  if (severity === 'B' && hits?.count === 0 && isDecided) {
    return {
      ...counted,
      severity: 'R',
      ruleSeverity: rule.severity,
      note: `unused: affects none of ${hits.of} objects`,
    };
  }
  const isForgiven = rule.ratcheted && ratchets(server) && !isNeverForgiven(finding, objects);
  if (severity === 'B' && isForgiven) return ratcheted(counted);
  return severity === rule.severity ? counted : { ...counted, severity, ruleSeverity: rule.severity };
}

/**
 * B where objects show that it breaks them; R where API servers of this version still accept
 * updates beside what breaks.
 */
function ofStruck(finding: CrdFinding, objects: ObjectsReport | undefined): CrdFinding {
  const groups = objects?.groups.filter((group) => isOfUnforeseen(finding, group)) ?? [];
  if (objects === undefined || groups.length === 0) return finding;
  const counted = { ...finding, hits: countOf(groups, objects.objects), ruleSeverity: finding.severity };
  const isForgiven = groups.every(
    ({ effect, field }) => effect === 'blocks-change' && !isAt(field, finding.field ?? ''),
  );
  return isForgiven ? { ...counted, severity: 'R', note: ratchetingNote } : { ...counted, severity: 'B' };
}

function isOfUnforeseen({ rule, version, field = '', new: now }: CrdFinding, group: ObjectProblemGroup): boolean {
  if (group.version !== version || group.effect === 'unknown-conversion') return false;
  // A default is accepted by its own schema; it may break a rule of what the field lies in.
  const isDefault = rule === 'F19' ? now !== undefined : isRecord(now) && now['default'] !== undefined;
  const isAround = group.field !== field && isAt(field, group.field);
  if (isDefault && isAround && group.effect.startsWith('blocks-')) return true;
  if (rule === 'F19' || !isAt(group.field, field)) return false;
  return rule === 'F31' ? group.rules?.includes(rule) === true : rule === 'F37' || group.effect === 'data-loss';
}

const ratchetingNote = 'ratcheted: API servers from 1.30 on accept updates that leave this part unchanged';

function ratcheted(finding: CrdFinding): CrdFinding {
  const { severity } = crdRule(finding.rule);
  return { ...finding, severity: 'R', ...(severity !== 'R' && { ruleSeverity: severity }), note: ratchetingNote };
}

/**
 * A removed version affects its users: if the objects show that a manager uses it, the finding
 * blocks.
 */
function inUse(finding: CrdFinding, objects: ObjectsReport | undefined): CrdFinding {
  const users = objects?.users?.find(({ version }) => version === finding.version);
  if (objects === undefined || users === undefined) return finding;
  const by = users.managers.length === 0 ? '' : `, last by ${users.managers.join(', ')}`;
  return {
    ...finding,
    severity: 'B',
    ruleSeverity: finding.severity,
    note: `in use: objects are written in it${by}`,
    hits: { count: users.objects, of: objects.objects, first: users.first },
  };
}

function hitsOf({ rule, version, field }: CrdFinding, objects: ObjectsReport | undefined): ObjectHits | undefined {
  if (objects === undefined) return undefined;
  const of =
    objects.judged === undefined ? objects.objects : objects.judged.find((one) => one.version === version)?.objects;
  // Nothing was looked at at this version: nothing is known.
  if (of === undefined) return undefined;
  const groups = objects.groups.filter(
    (group) => group.version === version && isAt(group.field, field ?? '') && (group.rules?.includes(rule) ?? true),
  );
  return countOf(groups, of);
}

/**
 * Whether an object shows that API servers do not forgive this after all, as a null that is dropped
 * where a value is required.
 */
function isNeverForgiven({ rule, version, field }: CrdFinding, objects: ObjectsReport | undefined): boolean {
  const isOf = (group: ObjectProblemGroup) =>
    group.version === version && isAt(group.field, field ?? '') && group.rules?.includes(rule) === true;
  return objects?.groups.some((group) => group.effect === 'blocks-any-write' && isOf(group)) ?? false;
}

function countOf(groups: readonly ObjectProblemGroup[], of: number): ObjectHits {
  const first = [...new Set(groups.flatMap((group) => group.first))].toSorted().slice(0, 5);
  // Groups of one field may hold the same object: the largest is certain.
  const count = groups.reduce((most, group) => Math.max(most, group.count), first.length);
  return { count, of, first };
}

/**
 * Whether an object that breaks the rule would have been found: CEL needs an engine, and some
 * formats are checked by API servers alone.
 */
function isJudged({ rule, new: now }: CrdFinding, hasRules: boolean): boolean {
  if (rule === 'F30') return hasRules;
  if (rule !== 'F16') return true;
  return typeof now === 'string' && (['int32', 'float'].includes(now) || isCheckedStringFormat(now));
}

/**
 * Whether what was found at a field is what a change of another one leads to: the field itself, or
 * one within it.
 */
function isAt(found: string, changed: string): boolean {
  return (
    changed === '' ||
    found === changed ||
    (found.startsWith(changed) && ['.', '['].includes(found.charAt(changed.length)))
  );
}
