import { h } from './dom.ts';
import { openPageFile } from './page-file.ts';
import { startShell } from './shell.ts';

const place = document.getElementById('app');

openPageFile()
  .then((file) => startShell(place ?? document.body, file))
  .catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    place?.replaceChildren(
      h('p', { class: 'loading', role: 'alert' }, `The page can’t be shown: ${message}`),
    );
  });
