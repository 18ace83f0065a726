// The real server, with one thing more: told over IPC, it ends one of its own worker threads under whatever that does.
import { loadConfig } from '../../../dist/src/config.js';
import { startEnvironment } from '../../../dist/src/cli/compose.js';
import { watchSignals } from '../../../dist/src/cli/signals.js';
import { welcomeJson } from '../../../dist/src/cli/welcome.js';
import { openLog } from '../../../dist/src/logger.js';

const config = loadConfig({
  // Without the cache every query needs a thread.
  flags: { demo: true, port: '0', record: false, logLevel: 'info', resultCacheBytesMax: '0' },
  environment: {},
  folder: process.cwd(),
});
const { log, flush } = openLog(config.logLevel, false);
const signals = watchSignals(log, flush);
process.on('unhandledRejection', (error) => {
  log.error({ err: error }, 'a promise was rejected and nobody noticed');
});
const environment = await startEnvironment(config, log);
let killedCount = 0;
process.on('message', ({ killThread }) => {
  void environment.executor.killThread(killThread).then(() => {
    killedCount += 1;
    if (process.connected) process.send({ killedCount });
  });
});
process.stdout.write(welcomeJson(environment, config));
await signals.first;
if (process.connected) process.disconnect();
await environment.stop();
flush();
