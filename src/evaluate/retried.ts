/** How often something is tried that neither a query nor its database keeps from ending. */
const TRY_COUNT_MAX = 3;

/** Asks the executor again where its thread died or its queue was full: neither says anything about what was asked. */
export async function retried<Reply extends { readonly kind: string }>(
  ask: () => Promise<Reply>,
): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await ask();
    const passing = reply.kind === 'worker_lost' || reply.kind === 'overloaded';
    if (!passing || tries >= TRY_COUNT_MAX) return reply;
  }
}
