/**
 * The test-suite evaluator takes `value` in a prediction for a placeholder and puts 1 there, inside names and strings
 * too: a column `market_value` can't be predicted. It leaves the gold alone.
 */
export function plugPlaceholder(answer: string): string {
  return answer.replaceAll('value', '1');
}
