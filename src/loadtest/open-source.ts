import type { SourceOptions } from './messages.ts';
import { scriptedSource, type EpisodeSource } from './plan.ts';
import { recordedSource } from './recorded.ts';

/** Opens the source of a load's episodes; the same options give the same episodes in every process. */
export async function openSource(options: SourceOptions): Promise<EpisodeSource> {
  if (options.kind === 'scripted') return scriptedSource(options.plan);
  // Loaded only where there is something recorded.
  const { openLibrary } = await import('../replay/library.ts');
  return recordedSource(await openLibrary(options.paths), options.plan);
}
