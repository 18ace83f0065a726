import type { EpisodeGroup } from '../group-episodes.ts';
import type { EpisodeSummary } from '../ports.ts';
import type { PageFile } from './page-file.ts';
import type { Route } from './route.ts';

/** What every view can use. */
export interface App {
  readonly file: PageFile;
  readonly route: Route;
  /** The episodes that pass the filter, in the order of the list. */
  readonly matching: readonly EpisodeSummary[];
  /** The rollouts of each prompt, whether they pass the filter or not, in the order of the records. */
  readonly groups: readonly EpisodeGroup[];
  /** Goes to a place; what is left out stays. Replacing leaves no trace for the back button. */
  go(route: Partial<Route>, how?: 'push' | 'replace'): void;
  /** The address of an episode, with the filter of now. */
  episodeHash(episode: EpisodeSummary): string;
  episodeRoute(episode: EpisodeSummary): Partial<Route>;
  /** The address of a place, with the filter of now. */
  hash(route: Partial<Route>): string;
  /** Shows what went wrong. */
  fail(error: unknown): void;
}

/** A place of the page. */
export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  /** The list fills the window and scrolls in itself. */
  readonly fillsWindow: boolean;
  /** The filter, the sorting or the step in the address changed; the place did not. */
  update(): void;
  /** Gives whether it used the key. */
  onKey(key: string): boolean;
  /** What gets the focus when one arrives. */
  readonly focus: HTMLElement;
  close(): void;
}
