import { Box, Text, useInput } from 'ink';
import { memo, useRef, useSyncExternalStore, type ReactElement } from 'react';
import type { Program } from './program.ts';
import { KeyReader } from './state/key.ts';
import type { Line } from './text/line.ts';
import type { Theme } from './theme.ts';

/** What the program's parts need. */
export interface AppProps {
  readonly program: Program;
  readonly theme: Theme;
}

/** The whole screen: the lines of the state, and keys to the program. */
export function App({ program, theme }: AppProps): ReactElement {
  const state = useSyncExternalStore(program.subscribe, program.getState);
  const reader = useRef<KeyReader>(new KeyReader());
  useInput((input, raw) => {
    for (const key of reader.current.read(input, raw)) program.dispatch({ kind: 'key', key });
  });
  const { columns, rows } = state.size;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {program.lines().map((line, row) => (
        <Row key={row} line={line} theme={theme} />
      ))}
    </Box>
  );
}

interface RowProps {
  readonly line: Line;
  readonly theme: Theme;
}

/** One line. Its spans are one text, so that ink does not lay them out again. */
const Row = memo(function Row({ line, theme }: RowProps): ReactElement {
  if (line.length === 0) return <Text> </Text>;
  return (
    <Text wrap="truncate-end">
      {line.map((span, index) => (
        <Text key={index} {...theme(span.style)}>
          {span.text}
        </Text>
      ))}
    </Text>
  );
}, sameRow);

function sameRow(before: RowProps, after: RowProps): boolean {
  if (before.theme !== after.theme || before.line.length !== after.line.length) return false;
  return before.line.every((span, index) => {
    const other = after.line[index];
    return span.text === other?.text && span.style === other.style;
  });
}
