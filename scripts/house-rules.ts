/**
 * Those of ARCHITECTURE.md's rules of the house that the linter has no word for, as patterns over source text. Pure: text in, findings out.
 */
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
  /** The only files that it speaks of; all where absent. */
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
    only: /^packages\/clusterset\/src\//,
    except: /\.test\.ts$|\/testing\/|\/src\/(?:conditions|reports)\.ts$/,
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
