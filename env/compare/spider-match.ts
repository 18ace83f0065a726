import { matchSpiderSql, type MatchRequest } from '../spider/exact-match.ts';

/** `gold_broken`: Spider's parser can't read the gold, so that no answer can be judged. */
export type SpiderMatchVerdict = 'match' | 'mismatch' | 'gold_broken';

/**
 * Exact-set match (`spider-match@1`): both queries are parsed and compared part by part, and nothing is run. Values,
 * DISTINCT, aliases and orders of lists don't count; an answer that Spider's parser can't read is a mismatch.
 */
export function compareSpiderMatch(request: MatchRequest): SpiderMatchVerdict {
  const report = matchSpiderSql(request);
  switch (report.kind) {
    case 'gold_unparseable':
      return 'gold_broken';
    case 'scored':
      return report.exact ? 'match' : 'mismatch';
  }
}
