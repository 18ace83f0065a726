// The text of a showcase turn as a model would write it: words with tool calls or an answer, or the whole text as it is.
export function showcaseTurn({ say = '', queries = [], answer, text }) {
  if (text !== undefined) return text;
  const calls = queries.map(
    (query) =>
      `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`,
  );
  const fence = answer ? [`\`\`\`sql\n${answer}\n\`\`\``] : [];
  return [...(say === '' ? [] : [say]), ...calls, ...fence].join('\n');
}
