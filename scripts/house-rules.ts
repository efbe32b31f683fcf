/**
 * The house rules of ARCHITECTURE.md that the linter cannot check, as patterns over source text,
 * and the width of comments. Pure: text in, findings out.
 */
import { commentsOf } from './syntax.ts';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

interface HouseRule {
  readonly pattern: RegExp;
  readonly message: string;
  /** Files that may do it: the module that implements the thing, and tests. */
  readonly except: RegExp;
  /** The only files that it applies to; all files if absent. */
  readonly only?: RegExp;
}

const tests = /\.test\.ts$|\/testing\//;

const rules: readonly HouseRule[] = [
  {
    pattern: /\bnew Date\(\s*\)/,
    message: 'new Date() reads the clock: take a Clock (rule 5)',
    except: /\.test\.ts$|\/testing\/|node-world\.ts$|\/apiserver\/|house-rules\.ts$/,
  },
  {
    pattern: /(?<!new )(?<![.\w])Date\(/,
    message: 'Date() reads the clock: take a Clock (rule 5)',
    except: /\.test\.ts$|\/testing\/|house-rules\.ts$/,
  },
  {
    pattern: /\bimport\(\s*[^'"\s]/,
    message: 'the linter cannot see what a computed import loads: write its name (rule 5)',
    except: tests,
  },
  {
    pattern: /\.localeCompare\(|\btoLocale\w+\(|\bIntl\./,
    message: 'locale-dependent: compare strings bytewise (rule 5)',
    except: tests,
  },
  {
    pattern: /^(?:export )?let\s|^(?:export )?var\s/,
    message: 'module-level state: modules only declare (rule 5)',
    except: tests,
  },
  {
    pattern: /^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\s*\)/,
    message: 'an empty module-level collection is state: pass it in (rule 5)',
    except: tests,
  },
  {
    pattern: /import \{[^}]*\btype \w/,
    message: "an inline 'type' modifier still loads the module: use import type",
    except: /house-rules\.test\.ts$/,
  },
  {
    pattern: /\bsetCondition\b|\.event\(/,
    message: 'reasons are defined: write conditions by setVerdicts and Events by Reports (rule 8)',
    only: /^packages\/(?:wire|controlplane|install)\/src\//,
    except: /\.test\.ts$|\/testing\/|\/(?:wire\/src\/conditions|controlplane\/src\/reporting\/reports)\.ts$/,
  },
  {
    pattern: /(?<!(?:liveOf|presenceOf)\()\b[\w.]*cache\.get(?:ByKey)?\((?:[^()]|\([^()]*\))*\) [!=]== undefined/,
    message: 'finalizers can hold a deleted object: ask liveOf or presenceOf if there is one (rule 4)',
    only: /^packages\/controlplane\/src\//,
    except: tests,
  },
];

const names = /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/)/;

/** The findings in one file, in the order of its lines. */
export function houseRuleFindings(path: string, text: string): readonly Finding[] {
  const findings: Finding[] = [];
  if (names.test(path)) findings.push({ path, line: 1, message: 'name the file for its idea (rule 10)' });
  text.split('\n').forEach((content, index) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(content)) return;
    for (const rule of rules) {
      if (rule.pattern.test(content) && !rule.except.test(path) && rule.only?.test(path) !== false) {
        findings.push({ path, line: index + 1, message: rule.message });
      }
    }
  });
  return findings;
}

const widest = 100;

/**
 * The comment lines of one file that are wider than 100 columns, indentation and code before the
 * comment included. Exempt are URLs, directives of tools, rows of tables, and lines without a space
 * to break at. Errors: text that is not TypeScript.
 */
export function wideComments(path: string, text: string): readonly Finding[] {
  const fileLines = text.split('\n');
  return commentsOf(text).flatMap(({ line, lines }) =>
    lines.flatMap((content, index) => {
      const whole = fileLines[line - 1 + index] ?? '';
      if (whole.length <= widest || isUnbreakable(whole, content)) return [];
      return [{ path, line: line + index, message: `a comment line of ${whole.length} columns: wrap it at ${widest}` }];
    }),
  );
}

function isUnbreakable(whole: string, content: string): boolean {
  const start = whole.indexOf(content);
  // The formatter breaks code that follows a comment.
  if (!/^\s*(?:\*\/)?$/.test(whole.slice(start + content.length))) return true;
  if (/https?:\/\/|^\s*(?:oxlint-|@ts-|\| )/.test(content)) return true;
  // A comment beside code can move to a line above it.
  if (!/^\s*(?:\/\/|\/?\*)/.test(whole)) return false;
  return !/^\s*\S+\s/.test(whole.slice(start, widest + 1));
}
