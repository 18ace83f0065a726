/** What the model did in one step. */
export type Action =
  | { readonly kind: 'assistant_text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly name: string; readonly argumentsJson: string }
  | { readonly kind: 'final_text'; readonly text: string };
