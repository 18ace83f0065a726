// A client whose connection is its own. (grpc-js shares one among all clients of an address, so that the product's
// client can't be many connections from one process.)
import { Client, credentials, status as Status } from '@grpc/grpc-js';
import { PROTO } from '../../../dist/src/rpc/load-proto.js';

/** What each method is called here, and by grpc-js: the service's own Close would hide the client's `close`. */
const METHODS = {
  getInfo: 'getInfo',
  listTasks: 'listTasks',
  reset: 'reset',
  step: 'step',
  end: 'Close',
  score: 'score',
  runSql: 'runSql',
};
const DEADLINE_MS = 60_000;

/** A call that failed: `code` is the status' name, `reason` the server's, or UNSPECIFIED. */
export class CallFailed extends Error {
  constructor(method, error) {
    super(`${method}: ${Status[error.code]}: ${error.details}`, { cause: error });
    this.name = 'CallFailed';
    this.code = Status[error.code];
    this.reason = error.metadata?.get('sqlenv-error-reason')[0] ?? 'UNSPECIFIED';
  }

  /** Status and reason in one word, for counting. */
  get key() {
    return this.reason === 'UNSPECIFIED' ? this.code : `${this.code}/${this.reason}`;
  }
}

/** Connects to `host:port` on a connection of its own. Every method takes a request and `{ deadlineMs, signal }`. */
export function connect(address, options = {}) {
  const client = new PROTO.sqlenv.v1.EnvironmentService(address, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
    // A server that was killed comes back: look for it often.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    ...options,
  });
  const connected = { disconnect: () => Client.prototype.close.call(client) };
  for (const [name, method] of Object.entries(METHODS)) {
    connected[name] = (request, settings = {}) => call(client, method, request, settings);
  }
  return connected;
}

function call(client, method, request, { deadlineMs = DEADLINE_MS, signal }) {
  return new Promise((resolve, reject) => {
    const running = client[method](
      request,
      { deadline: Date.now() + deadlineMs },
      (error, reply) => {
        signal?.removeEventListener('abort', cancel);
        if (error === null) resolve(reply);
        else reject(new CallFailed(method, error));
      },
    );
    const cancel = () => running.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** The bytes of a request, without gRPC's frame around it. `method` is `RunSql`, `Step`, ... */
export function encodeRequest(method, request) {
  return PROTO.sqlenv.v1.EnvironmentService.service[method].requestSerialize(request);
}

/** gRPC's frame around a message. The length may be a lie. */
export function frame(message, { compressed = 0, length = message.length } = {}) {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}
