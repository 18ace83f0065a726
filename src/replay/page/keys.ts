/** What keys do outside of the view that is shown. */
export interface KeyActions {
  /** The view's own keys; gives whether it used the key. */
  readonly view: (key: string) => boolean;
  readonly filter: () => void;
  readonly leaveFilter: () => void;
  readonly back: () => void;
  readonly groups: () => void;
  readonly list: () => void;
  readonly overview: () => void;
  readonly theme: () => void;
  readonly help: () => void;
}

/** Listens to the keys of the whole page. Fields and buttons keep the keys that are theirs. */
export function listenToKeys(actions: KeyActions): void {
  const global: Readonly<Record<string, () => void>> = {
    '/': actions.filter,
    Escape: actions.back,
    g: actions.groups,
    l: actions.list,
    o: actions.overview,
    t: actions.theme,
    '?': actions.help,
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const { target, key } = event;
    if (target instanceof HTMLInputElement && target.type !== 'checkbox') {
      // Escape would empty the field; here it goes back to the list, and so does Enter.
      if (key === 'Escape' || key === 'Enter') {
        event.preventDefault();
        actions.leaveFilter();
      }
      return;
    }
    if (isOfControl(target, key)) return;
    if (actions.view(key)) event.preventDefault();
    else if (Object.hasOwn(global, key)) {
      event.preventDefault();
      global[key]?.();
    }
  });
}

function isOfControl(target: EventTarget | null, key: string): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  return target instanceof Element && target.closest('a, button, summary, input') !== null;
}
