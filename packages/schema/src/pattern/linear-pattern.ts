import type { Choice, PatternNode } from './pattern-tree.ts';

/** Where a match is: UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One step of a program: what it wants of the text, and where it goes on. The step of {@link accept} ends a match. */
type Step =
  | { readonly kind: 'one'; readonly fits: (point: number) => boolean; readonly next: number }
  | { readonly kind: 'at'; readonly holds: (text: string, at: number) => boolean; readonly next: number }
  | { readonly kind: 'either'; readonly first: number; readonly second: number };

const accept = -1;

/**
 * Finds matches in time that grows with the text times the pattern, whatever they are: all ways through the pattern go forward together, one
 * character at a time (K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968). Of several matches the leftmost counts,
 * and of those that start there, the one that backtracking would find first; with `shortest`, the one that ends first.
 */
export function linearMatcher(root: PatternNode): (text: string, from: number, shortest: boolean) => Span | undefined {
  const steps: Step[] = [];
  const start = emit(steps, root, accept);
  return (text, from, shortest) => run({ steps, start }, text, { from, shortest });
}

/** Adds the steps of a node, which go on to `next`; returns where it starts. */
function emit(steps: Step[], node: PatternNode, next: number): number {
  const add = (step: Step) => steps.push(step) - 1;
  switch (node.kind) {
    case 'one':
      return add({ kind: 'one', fits: node.fits, next });
    case 'at':
      return add({ kind: 'at', holds: node.holds, next });
    case 'sequence':
      return node.parts.reduceRight((after, part) => emit(steps, part, after), next);
    case 'choice':
      return emitChoice(steps, node, next);
    case 'repeat': {
      const { part, least, most, lazy } = node;
      const either = (into: number, past: number): Step =>
        lazy ? { kind: 'either', first: past, second: into } : { kind: 'either', first: into, second: past };
      let after = next;
      if (most === Infinity) {
        const loop = add(either(next, next));
        steps[loop] = either(emit(steps, part, loop), next);
        after = loop;
      } else {
        for (let i = least; i < most; i++) after = add(either(emit(steps, part, after), next));
      }
      for (let i = 0; i < least; i++) after = emit(steps, part, after);
      return after;
    }
  }
}

function emitChoice(steps: Step[], { branches }: Choice, next: number): number {
  const starts = branches.map((branch) => emit(steps, branch, next));
  return starts.reduceRight((second, first) => steps.push({ kind: 'either', first, second }) - 1);
}

interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** Where a way through the pattern stands, and where its match began. Ways are kept with those first that backtracking would try first. */
interface Way {
  readonly step: number;
  readonly began: number;
}

function run(
  { steps, start }: Program,
  text: string,
  { from, shortest }: { readonly from: number; readonly shortest: boolean },
): Span | undefined {
  const seenAt = new Int32Array(steps.length).fill(-1);
  let found: Span | undefined;
  let ways: Way[] = [];
  for (let at = from; at <= text.length;) {
    const here: Way[] = [];
    let ended = false;
    const follow = (first: Way) => {
      const open = [first];
      for (let way = open.pop(); way !== undefined && !ended; way = open.pop()) {
        if (way.step === accept) {
          // Ways behind this one would match later, or not at all.
          found = { start: way.began, end: at };
          ended = true;
          return;
        }
        if (seenAt[way.step] === at) continue;
        seenAt[way.step] = at;
        const step = steps[way.step];
        if (step === undefined) continue;
        if (step.kind === 'one') here.push(way);
        else if (step.kind === 'either') {
          open.push({ step: step.second, began: way.began }, { step: step.first, began: way.began });
        } else if (step.holds(text, at)) open.push({ step: step.next, began: way.began });
      }
    };
    for (const way of ways) if (!ended) follow(way);
    if (!ended && found === undefined) follow({ step: start, began: at });
    if (found !== undefined && (shortest || here.length === 0)) return found;
    const point = text.codePointAt(at);
    if (point === undefined) break;
    ways = here.flatMap(({ step, began }) => {
      const one = steps[step];
      return one?.kind === 'one' && one.fits(point) ? [{ step: one.next, began }] : [];
    });
    at += point > 0xffff ? 2 : 1;
  }
  return found;
}
