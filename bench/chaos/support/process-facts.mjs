// What Linux says of a process, from proc(5).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Resident memory, its peak, in bytes, and the count of threads. Undefined when the process is gone. */
export function memoryOf(processId) {
  try {
    const text = readFileSync(`/proc/${processId}/status`, 'utf8');
    const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? NaN);
    // A process that has ended and not been waited for has no memory any more.
    if (!text.includes('VmRSS:')) return undefined;
    return {
      bytes: field('VmRSS') * 1024,
      peakBytes: field('VmHWM') * 1024,
      threadCount: field('Threads'),
    };
  } catch {
    return undefined;
  }
}

/** Open file descriptors. */
export function descriptorCountOf(processId) {
  try {
    return readdirSync(`/proc/${processId}/fd`).length;
  } catch {
    return 0;
  }
}

/** Open sockets. */
export function socketCountOf(processId) {
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

/** CPU time used so far, seconds. */
export function cpuSecondsOf(processId) {
  try {
    // utime and stime are fields 14 and 15, counted after the command's closing bracket; 100 ticks a second.
    const text = readFileSync(`/proc/${processId}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}
