import { h } from './dom.ts';

type Theme = 'auto' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];
const KEY = 'sqlenv-replay-theme';

/** The switch between the system's theme, light and dark; what was chosen is kept where the browser lets a page keep it. */
export function themeSwitch(): { readonly element: HTMLElement; next(): void } {
  let theme = stored();
  const label = h('span', {});
  const button = h(
    'button',
    { type: 'button', class: 'quiet', onclick: () => next(), title: 'Switch the theme (t)' },
    label,
  );
  const apply = (): void => {
    if (theme === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme);
    label.textContent = `Theme: ${theme}`;
  };
  const next = (): void => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
    store(theme);
    apply();
  };
  apply();
  return { element: button, next };
}

function stored(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A page from a file may not be allowed to: the choice then lasts as long as the page is open.
  }
}
