import { scoreFlags, type AnswerFacts } from '../../env/answer-flags.ts';
import { judgeRows } from '../../env/compare/modes.ts';
import type { ComparisonMode, Judgement, Verdict } from '../../env/grade.ts';
import { ANSWER_FORBIDDEN_MESSAGE, TOO_BIG_MESSAGE } from '../../env/refusals.ts';
import { hasLiteralColumns, looksAtSchema } from '../../env/sql-text.ts';
import { answerFailed, answerMissing, answerQuery, judgement } from './answer-reply.ts';
import { checkSql } from './check-sql.ts';
import type { Connection } from './connection.ts';
import { fetchKeys, KEY_SIZE_MAX, type FetchedKeys } from './fetch-keys.ts';
import { guardedRun, noTimes, type RunFacts } from './guarded-run.ts';
import { sha256 } from './hash.ts';
import type { RunTimes, WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';

type GradeMessage = Extract<WorkerMessage, { kind: 'grade_answer' }>;

/** Rows of an answer that are compared as a set, where more rows than the gold's can still be right. */
const SET_ROW_COUNT_MAX = 500_000;

/** Runs an answer and compares it with the gold's digests, once for each mode. */
export function gradeAnswer(
  guard: NativeGuard,
  connection: Connection,
  message: GradeMessage,
): WorkerReply {
  const check = checkSql(message.answerSql);
  // Blanks and comments have no rows, and would be right for every gold without rows.
  if (check === 'empty') return answerMissing(message, noTimes());
  if (check !== 'run') return answerFailed(message, check, noTimes(), false);
  if (looksAtSchema(message.answerSql)) {
    const failure = { kind: 'forbidden', message: ANSWER_FORBIDDEN_MESSAGE } as const;
    return answerFailed(message, failure, noTimes(), false);
  }

  const outcome = guardedRun(guard, connection, message, () =>
    fetchKeys(connection, message.answerSql, {
      rowCountMax: message.comparisonModes.includes('set@1')
        ? SET_ROW_COUNT_MAX
        : // One more than can be right, so that flags see that there is more.
          message.gold.rowCount + 1,
      keySizeMax: KEY_SIZE_MAX,
    }),
  );
  const { facts, times } = outcome;
  if (outcome.kind === 'failed') {
    return answerFailed(message, outcome.failure, times, facts.volatile);
  }
  return judged(message, outcome.value, facts, times);
}

function judged(
  message: GradeMessage,
  answer: FetchedKeys,
  run: RunFacts,
  times: RunTimes,
): WorkerReply {
  const facts: AnswerFacts = {
    kind: 'ran',
    rowKeys: answer.rowKeys,
    columnCount: answer.columnCount,
    readsTable: run.tableReadCount > 0,
    literal: hasLiteralColumns(message.answerSql),
  };
  const flags = scoreFlags(message.gold, facts, sha256);
  const judgements = message.comparisonModes.map((comparisonMode): Judgement => {
    const verdict = verdictOf(comparisonMode, message, answer);
    const errorText = verdict === 'answer_too_big' ? TOO_BIG_MESSAGE : '';
    const query = answerQuery(message, 'ok', times, answer);
    return judgement(message, comparisonMode, verdict, flags, errorText, query);
  });
  // Too many rows or bytes for the comparison are that again; memory of the engine is not in question here.
  return { kind: 'graded', judgements, lasting: !run.volatile, times };
}

function verdictOf(mode: ComparisonMode, message: GradeMessage, answer: FetchedKeys): Verdict {
  const { gold } = message;
  // More rows than the gold has: a multiset can't be equal, and a set is known only in full.
  const more = answer.rowKeys.length > gold.rowCount;
  if (mode !== 'set@1' && more) return 'mismatch';
  if (answer.over !== 'none') return 'answer_too_big';
  return judgeRows(mode, gold, answer.rowKeys, sha256) ? 'match' : 'mismatch';
}
