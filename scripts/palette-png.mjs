// Makes a browser's picture of text a third as large: the same picture with a palette of 256 colours.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLOUR_COUNT_MAX = 256;

/** The PNG (8 bits, RGB or RGBA, not interlaced) with a palette. Colours that are rare become the nearest frequent one. */
export function withPalette(png) {
  const { width, height, pixels, channels } = decode(png);
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += channels) {
    const key = keyAt(pixels, at, channels);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
  const palette = byCount.slice(0, COLOUR_COUNT_MAX);
  const indices = new Map(palette.map((key, index) => [key, index]));
  for (const key of byCount.slice(COLOUR_COUNT_MAX)) indices.set(key, nearest(palette, key));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const key = keyAt(pixels, (y * width + x) * channels, channels);
      rows[y * (width + 1) + 1 + x] = indices.get(key);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((key) => bytesOf(key).slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map((key) => bytesOf(key)[3]))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Red, green, blue and opacity as one number. The last bits of a colour are not seen. */
function keyAt(pixels, at, channels) {
  const alpha = channels === 4 ? pixels[at + 3] : 255;
  const [red, green, blue] = [pixels[at] & 0xfc, pixels[at + 1] & 0xfc, pixels[at + 2] & 0xfc];
  return red * 0x1000000 + green * 0x10000 + blue * 0x100 + alpha;
}

function bytesOf(key) {
  return [Math.floor(key / 0x1000000), (key >> 16) & 255, (key >> 8) & 255, key & 255];
}

function nearest(palette, key) {
  const wanted = bytesOf(key);
  let [best, least] = [0, Infinity];
  for (const [index, candidate] of palette.entries()) {
    const distance = bytesOf(candidate).reduce(
      (sum, byte, at) => sum + (byte - wanted[at]) ** 2,
      0,
    );
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function decode(png) {
  let [width, height, channels] = [0, 0, 0];
  const parts = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const size = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + size);
    if (type === 'IHDR') {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = data[9] === 6 ? 4 : 3;
    }
    if (type === 'IDAT') parts.push(data);
    at += size + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  return { width, height, channels, pixels: unfiltered(raw, width * channels, height, channels) };
}

/** Undoes the filters of the rows (PNG specification, section 9). */
function unfiltered(raw, rowSize, height, channels) {
  const pixels = Buffer.alloc(rowSize * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (rowSize + 1)];
    for (let x = 0; x < rowSize; x += 1) {
      const left = x >= channels ? pixels[y * rowSize + x - channels] : 0;
      const up = y > 0 ? pixels[(y - 1) * rowSize + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * rowSize + x - channels] : 0;
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[y * rowSize + x] = (raw[y * (rowSize + 1) + 1 + x] + add) & 255;
    }
  }
  return pixels;
}

function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const [byLeft, byUp] = [Math.abs(estimate - left), Math.abs(estimate - up)];
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
