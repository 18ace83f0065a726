import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  BatchNews,
  ClientNews,
  ClientOptions,
  ClientOrder,
  ClientUsage,
  OpenBounds,
} from './messages.ts';

/** Client processes run from the built files: Node 20 can't start a `.ts` file. */
const CLIENT_FILE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/src/loadtest/client-process.js', import.meta.url)
    : new URL('./client-process.js', import.meta.url),
);

/** How long a client process may be silent, milliseconds; it says something four times a second. */
const SILENT_MS = 30_000;

/** How long the news of a process's end may come after that of its closed pipe, milliseconds. */
const EXIT_NEWS_MS = 1_000;

/** How long a client process may take to end, milliseconds. */
const STOP_MS = 5_000;

/** A client process died, hung or could not do its work: the load can't go on. */
export class ClientLost extends Error {
  override readonly name = 'ClientLost';
}

/** What the pool reports while it works. */
export interface PoolObserver {
  readonly onNews: (batches: readonly BatchNews[], clientIndex: number, openCount: number) => void;
}

/** How long clients may be silent; shorter in tests of that. */
export interface PoolTimes {
  readonly silentMs: number;
}

/** The client processes of a load. Its promises reject with {@link ClientLost} when one of them is lost. */
export class ClientPool {
  readonly #clients: readonly Client[];

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  /** Starts the processes and waits until all are ready. */
  static async start(
    options: ClientOptions,
    clientCount: number,
    observer: PoolObserver,
    times: PoolTimes = { silentMs: SILENT_MS },
  ): Promise<ClientPool> {
    const clients = Array.from(
      { length: clientCount },
      (_, clientIndex) => new Client(clientIndex, observer, times.silentMs),
    );
    const pool = new ClientPool(clients);
    try {
      await pool.#tellAll('start', (clientIndex) => ({
        kind: 'start',
        options,
        clientIndex,
        clientCount,
      }));
    } catch (error) {
      pool.kill();
      throw error;
    }
    return pool;
  }

  /** Process ids, for tests of their loss. */
  get processIds(): number[] {
    return this.#clients.map((client) => client.processId);
  }

  /** Has all get a batch ready. */
  async prepare(batchIndex: number): Promise<void> {
    await this.#tellAll('prepare', () => ({ kind: 'prepare', batchIndex }));
  }

  /** Has all play a batch that is ready; resolves when the last episode has ended. */
  async play(batchIndex: number): Promise<ClientUsage[]> {
    return await this.#playAll({ kind: 'play', batchIndex });
  }

  /** Has all play an open loop to its end. */
  async playOpen(bounds: OpenBounds): Promise<ClientUsage[]> {
    return await this.#playAll({ kind: 'play_open', ...bounds });
  }

  /** Ends the load where it is, gives what the clients used, and ends them. Never rejects; those that hang are killed. */
  async stop(): Promise<ClientUsage[]> {
    const usages = await Promise.all(this.#clients.map((client) => client.stop()));
    return usages.filter((usage) => usage !== undefined);
  }

  /** Ends the processes at once; idempotent. */
  kill(): void {
    for (const client of this.#clients) client.kill();
  }

  async #playAll(
    order: Extract<ClientOrder, { kind: 'play' | 'play_open' }>,
  ): Promise<ClientUsage[]> {
    const replies = await this.#tellAll(order.kind, () => order);
    return replies.flatMap((reply) => ('usage' in reply ? [reply.usage] : []));
  }

  /** The first that is lost ends the wait for the others: they may wait for something that never comes. */
  async #tellAll(
    reply: ClientNews['kind'],
    order: (clientIndex: number) => ClientOrder,
  ): Promise<ClientNews[]> {
    return await Promise.all(
      this.#clients.map((client, index) => client.tell(order(index), reply)),
    );
  }
}

interface Waiting {
  readonly kind: ClientNews['kind'];
  readonly resolve: (news: ClientNews) => void;
  readonly reject: (error: ClientLost) => void;
}

/** One client process, seen from the parent. */
class Client {
  readonly #child: ChildProcess;
  readonly #index: number;
  readonly #observer: PoolObserver;
  readonly #kill: () => void;
  readonly #watch: NodeJS.Timeout;
  #waiting: Waiting[] = [];
  /** Looks since it last said something. Not a time: when the whole group was stopped and goes on, nobody hung. */
  #silentCount = 0;
  #lost: ClientLost | undefined;

  constructor(index: number, observer: PoolObserver, silentMs: number) {
    this.#index = index;
    this.#observer = observer;
    this.#child = fork(CLIENT_FILE, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    // Whatever ends this process ends its clients too.
    this.#kill = () => void this.#child.kill('SIGKILL');
    process.once('exit', this.#kill);
    this.#child.on('message', (news) => this.#hear(news as ClientNews));
    this.#child.once('error', (error) => this.#lose(`could not be run: ${error.message}`));
    this.#child.once('exit', (code, signal) => {
      process.off('exit', this.#kill);
      this.#lose(`ended by itself (${signal ?? `exit code ${code}`})`);
    });
    const lookMs = Math.min(1_000, silentMs / 4);
    this.#watch = setInterval(() => this.#look(lookMs, silentMs), lookMs).unref();
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  /** Gives an order and waits for its reply. */
  tell(order: ClientOrder, kind: ClientNews['kind']): Promise<ClientNews> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      this.#waiting.push({ kind, resolve, reject });
      this.#child.send(order, (error) => {
        if (error !== null) this.#loseSoon(`can't be spoken to: ${error.message}`);
      });
    });
  }

  /** Undefined if it was lost or does not answer. */
  async stop(): Promise<ClientUsage | undefined> {
    const late = setTimeout(() => this.#lose('did not stop in time'), STOP_MS);
    try {
      const reply = await this.tell({ kind: 'stop' }, 'stopped');
      return 'usage' in reply ? reply.usage : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(late);
      this.kill();
    }
  }

  kill(): void {
    clearInterval(this.#watch);
    this.#kill();
  }

  /** Of a process that dies the pipe is often known to be closed before it is known why. */
  #loseSoon(why: string): void {
    setTimeout(() => this.#lose(why), EXIT_NEWS_MS).unref();
  }

  #look(lookMs: number, silentMs: number): void {
    this.#silentCount += 1;
    if (this.#silentCount * lookMs < silentMs) return;
    this.#lose(`has said nothing for ${Math.round(silentMs / 1_000)} s`);
    this.kill();
  }

  #hear(news: ClientNews): void {
    this.#silentCount = 0;
    if (news.kind === 'failed') return this.#lose(`failed: ${news.message}`);
    if (news.kind === 'news') {
      return this.#observer.onNews(news.batches, this.#index, news.openCount);
    }
    const waiting = this.#waiting.find(({ kind }) => kind === news.kind);
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting?.resolve(news);
  }

  #lose(what: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = new ClientLost(`client process ${this.#index} ${what}`);
    clearInterval(this.#watch);
    for (const { reject } of this.#waiting) reject(this.#lost);
    this.#waiting = [];
  }
}
