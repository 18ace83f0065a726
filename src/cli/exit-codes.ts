/** All is well. */
export const EXIT_OK = 0;
/** It found problems: broken tasks, a port in use, golds that fail. */
export const EXIT_PROBLEMS = 1;
/** It was misused: unknown flags, settings that are not allowed. */
export const EXIT_MISUSED = 2;
