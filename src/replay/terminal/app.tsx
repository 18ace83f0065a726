import { useInput } from 'ink';
import { useLayoutEffect, useRef, useSyncExternalStore, type ReactNode } from 'react';
import type { Program } from './program.ts';
import type { TerminalScreen } from './screen.ts';
import { KeyReader } from './state/key.ts';

/** What the program's parts need. */
export interface AppProps {
  readonly program: Program;
  readonly screen: TerminalScreen;
}

/** Keys go to the program, and every state of it that follows to the screen. */
export function App({ program, screen }: AppProps): ReactNode {
  const state = useSyncExternalStore(program.subscribe, program.getState);
  const reader = useRef<KeyReader>(new KeyReader());
  useInput((input, raw) => {
    for (const key of reader.current.read(input, raw)) program.dispatch({ kind: 'key', key });
  });
  useLayoutEffect(() => {
    screen.show(program.lines(), program.cursor());
  }, [program, screen, state]);
  return null;
}
