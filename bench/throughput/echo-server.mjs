// A gRPC server that echoes bytes: what the wire costs by itself. Ends when its parent goes.
import { Server, ServerCredentials } from '@grpc/grpc-js';

const same = (bytes) => bytes;
const method = (path, streams) => ({
  path,
  requestStream: streams,
  responseStream: streams,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});

const server = new Server();
server.addService(
  { unary: method('/echo/Unary', false), stream: method('/echo/Stream', true) },
  {
    unary: (call, callback) => callback(null, call.request),
    stream: (call) => {
      call.on('data', (bytes) => call.write(bytes));
      call.on('end', () => call.end());
    },
  },
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.send(port);
});
process.on('disconnect', () => process.exit(0));
