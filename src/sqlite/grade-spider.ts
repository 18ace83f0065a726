import { compareSpiderLegacy } from '../../env/compare/spider-exec-legacy.ts';
import { spiderResultsMatch } from '../../env/compare/spider-exec.ts';
import type { Verdict } from '../../env/grade.ts';
import { planExecution } from '../../env/spider/execution-sql.ts';
import type { SpiderComparison, SpiderVerdict } from '../evaluate/ports.ts';
import type { DatabaseFile, SpiderItem, WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';
import {
  SpiderRuns,
  type BrokenGold,
  type GoldRun,
  type OpenConnection,
  type SpiderMessage,
  type Stopped,
} from './spider-runs.ts';

/** CPU time that the ways to plug values into one answer may take together, microseconds. */
const PLUG_CPU_US_MAX = 20_000_000;

interface Judged {
  readonly kind: 'judged';
  readonly verdict: Verdict;
  readonly errorText: string;
}

const MATCH: Judged = { kind: 'judged', verdict: 'match', errorText: '' };
const MISMATCH: Judged = { kind: 'judged', verdict: 'mismatch', errorText: '' };

/** A database with the gold's result on it. */
interface GoldOn {
  readonly file: DatabaseFile;
  readonly gold: GoldRun;
}

/** Judges an answer as the official scripts do, once for each comparison. Its rows stay on this thread. */
export function gradeSpider(
  guard: NativeGuard,
  open: OpenConnection,
  message: SpiderMessage,
): WorkerReply {
  const runs = new SpiderRuns(guard, open, message);
  const outcomes: Outcome[] = [];
  for (const comparison of message.comparisons) {
    const outcome = judge(runs, message, comparison);
    if (outcome.kind === 'stopped') return outcome.reply;
    outcomes.push(outcome);
  }
  return { kind: 'spider_graded', outcomes, times: runs.times };
}

/** Judges answers one after the other; those that are slow, or that something happens to, are left out. */
export function gradeSpiderBatch(
  guard: NativeGuard,
  open: OpenConnection,
  message: Extract<WorkerMessage, { kind: 'grade_spider_batch' }>,
): WorkerReply {
  const startedUs = Number(process.hrtime.bigint() / 1_000n);
  let [cpuUs, wallUs] = [0, 0];
  const { items, ...rest } = message;
  const outcomes = items.map((item) => {
    const reply = gradeSpider(guard, open, { ...rest, ...item, kind: 'grade_spider' });
    if (reply.kind !== 'spider_graded') return undefined;
    cpuUs += reply.times.cpuUs;
    wallUs += reply.times.wallUs;
    return reply.outcomes;
  });
  return { kind: 'spider_batch', outcomes, times: { startedUs, cpuUs, wallUs } };
}

type Outcome = SpiderVerdict | BrokenGold;

function judge(
  runs: SpiderRuns,
  message: SpiderMessage,
  comparison: SpiderComparison,
): Outcome | Stopped {
  switch (comparison.mode) {
    case 'spider-exec@1':
      return gradeExecution(runs, filesOf(message), comparison);
    case 'spider-exec-legacy@1':
      return gradeLegacy(runs, message.file, comparison);
  }
}

/** The databases that an answer is judged on. */
export function filesOf({ file, moreFiles }: SpiderItem): readonly DatabaseFile[] {
  return [file, ...moreFiles];
}

type Execution = Extract<SpiderComparison, { mode: 'spider-exec@1' }>;
type Legacy = Extract<SpiderComparison, { mode: 'spider-exec-legacy@1' }>;

/** The answer must match on all databases; with plugged values, one way of plugging must. */
function gradeExecution(
  runs: SpiderRuns,
  files: readonly DatabaseFile[],
  { goldSql, answerSql, options }: Execution,
): Outcome | Stopped {
  const plan = planExecution(goldSql, answerSql, options);
  const golds: GoldOn[] = [];
  // All of them first: a gold that fails anywhere is a broken task, whatever the answer does elsewhere.
  for (const file of files) {
    const gold = runs.gold(file, plan.gold);
    if (gold.kind !== 'gold_run') return gold;
    golds.push({ file, gold });
  }
  let own: Judged | undefined;
  let { isCapped: capped } = plan;
  for (const answer of plan.answers) {
    const judged = judgeOnAll(runs, golds, answer, plan.orderMatters);
    if (judged.kind === 'stopped') return judged;
    if (judged.verdict === 'match') return graded(golds, judged, false);
    own ??= judged;
    if (runs.times.cpuUs > PLUG_CPU_US_MAX && options.plugValue) {
      capped = true;
      break;
    }
  }
  return graded(golds, own ?? MISMATCH, capped);
}

function judgeOnAll(
  runs: SpiderRuns,
  golds: readonly GoldOn[],
  answerSql: string,
  orderMatters: boolean,
): Judged | Stopped {
  for (const { file, gold } of golds) {
    const answer = runs.answer(file, answerSql, gold);
    if (answer.kind === 'stopped') return answer;
    if (answer.kind === 'failed') return { ...answer, kind: 'judged' };
    if (!spiderResultsMatch(gold.result.rows, answer.result.rows, orderMatters)) return MISMATCH;
  }
  return MATCH;
}

/** The older script knows one database a task. */
function gradeLegacy(
  runs: SpiderRuns,
  file: DatabaseFile,
  { goldSql, answerSql, goldSelect, answerSelect }: Legacy,
): Outcome | Stopped {
  const gold = runs.gold(file, goldSql);
  if (gold.kind !== 'gold_run') return gold;
  const golds = [{ file, gold }];
  const answer = runs.answer(file, answerSql, gold);
  if (answer.kind === 'stopped') return answer;
  if (answer.kind === 'failed') return graded(golds, { ...answer, kind: 'judged' }, false);
  const verdict = compareSpiderLegacy(
    { sql: { select: goldSelect }, rows: gold.result.rows },
    { sql: { select: answerSelect }, rows: answer.result.rows },
  );
  switch (verdict) {
    case 'match':
      return graded(golds, MATCH, false);
    case 'mismatch':
      return graded(golds, MISMATCH, false);
    case 'answer_undecodable': {
      const errorText = 'Could not decode to UTF-8';
      return graded(golds, { kind: 'judged', verdict: 'answer_sql_error', errorText }, false);
    }
    case 'gold_undecodable':
      return {
        kind: 'gold_broken',
        message: "the gold's result holds text that is not UTF-8",
      };
  }
}

function graded(
  golds: readonly GoldOn[],
  { verdict, errorText }: Judged,
  capped: boolean,
): SpiderVerdict {
  const goldRowCount = golds[0]?.gold.result.rows.length ?? 0;
  return { kind: 'verdict', verdict, errorText, goldRowCount, capped };
}
