/** What an element can hold. Texts become text nodes: no text of a record is ever read as markup. */
export type Child = Node | string | number | undefined | false | readonly Child[];

type Listener = (event: Event) => void;

/** Attributes; a function is a listener under its `on...` name, false and undefined leave the attribute out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | Listener>>;

/** Makes an element of HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  decorate(element, attributes);
  append(element, children);
  return element;
}

/** Makes an element of SVG. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  decorate(element, attributes);
  append(element, children);
  return element;
}

/** Adds children in order. */
export function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    if (typeof child === 'string' || typeof child === 'number') {
      parent.appendChild(document.createTextNode(String(child)));
    } else if (child instanceof Node) parent.appendChild(child);
    else append(parent, child);
  }
}

function decorate(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}
