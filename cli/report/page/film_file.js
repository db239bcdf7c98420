// A film as one animated PNG: what the page showed over each lane, side by side, in its own time. Pictures are
// drawn on a canvas; the browser writes each as PNG, and their data become frames of one file (APNG, PNG's third edition).

const filmWidth = 360;
const filmHead = 26;
const fileGap = 8;
/** The last picture stays so long before it begins again. */
const filmRest_ms = 2000;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function pngChunk(type, data) {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  let crc = 0xffffffff;
  for (const byte of chunk.subarray(4, data.length + 8)) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  view.setUint32(data.length + 8, ~crc >>> 0);
  return chunk;
}

/** The chunks of a PNG: type and data. */
function* pngChunks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 8; at < bytes.length; ) {
    const length = view.getUint32(at);
    yield [new TextDecoder().decode(bytes.subarray(at + 4, at + 8)), bytes.subarray(at + 8, at + 8 + length)];
    at += length + 12;
  }
}

/** Big-endian: pairs of size in bytes and value. */
function packedNumbers(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    view[`setUint${8 * size}`](at, value);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** PNGs of one size, each with how long it is shown, as one animation that repeats. */
function animatedPng(frames, width, height) {
  const parts = [Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)];
  let sequence = 0;
  for (const [index, { png, delay_ms }] of frames.entries()) {
    const chunks = [...pngChunks(png)];
    if (index === 0) {
      parts.push(pngChunk("IHDR", chunks[0][1]), pngChunk("acTL", packedNumbers([4, frames.length], [4, 0])));
    }
    // Its number, size, place, and how long it is shown, in 1/1000 s; each takes the whole place of the one before.
    const place = [width, height, 0, 0].map((value) => [4, value]);
    const delay = [Math.min(65_535, Math.round(delay_ms)), 1000].map((value) => [2, value]);
    parts.push(pngChunk("fcTL", packedNumbers([4, sequence++], ...place, ...delay, [1, 0], [1, 0])));
    for (const [type, data] of chunks) {
      if (type !== "IDAT") continue;
      if (index === 0) parts.push(pngChunk("IDAT", data));
      else {
        const numbered = new Uint8Array(data.length + 4);
        numbered.set(packedNumbers([4, sequence++]));
        numbered.set(data, 4);
        parts.push(pngChunk("fdAT", numbered));
      }
    }
  }
  parts.push(pngChunk("IEND", new Uint8Array(0)));
  return new Blob(parts, { type: "image/png" });
}

/** As the film has it: from the top, as wide as the picture's place. */
function drawFrame(context, picture, x, height) {
  const scale = Math.max(filmWidth / picture.naturalWidth, height / picture.naturalHeight);
  const [across, down] = [filmWidth / scale, height / scale];
  const left = (picture.naturalWidth - across) / 2;
  context.drawImage(picture, left, 0, across, down, x, filmHead, filmWidth, height);
}

/** At the chosen interval; if the strip fits the page, at about twenty instants. */
async function filmApng(figure) {
  const { lanes, end_ms } = filmOf(figure);
  const chosen = figure.querySelector("select[name=interval]")?.value;
  const step_ms = chosen ? Number(chosen) : roundFilmStep(end_ms, 20);
  const instants = filmInstants(end_ms, step_ms);
  const films = await Promise.all(
    lanes.map(async (lane) => ({ ...lane, images: await Promise.all(lane.pictures.map(filmImage)) })),
  );
  const height = Math.round(filmWidth * filmAspect);
  const canvas = document.createElement("canvas");
  canvas.width = films.length * (filmWidth + fileGap) - fileGap;
  canvas.height = filmHead + height;
  // Without alpha every frame has the same kind of pixels.
  const context = canvas.getContext("2d", { alpha: false });
  const frames = [];
  for (const [index, time_ms] of instants.entries()) {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = "#111";
    context.font = "bold 15px sans-serif";
    for (const [lane, { name, images, shownAt }] of films.entries()) {
      const left = lane * (filmWidth + fileGap);
      context.fillText(`${name}  ${filmTime(time_ms)}`, left + 4, 18);
      const picture = images[shownAt(time_ms)];
      if (picture) drawFrame(context, picture, left, height);
      context.strokeStyle = "#999";
      context.strokeRect(left + 0.5, filmHead + 0.5, filmWidth - 1, height - 1);
    }
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const png = new Uint8Array(await blob.arrayBuffer());
    frames.push({ png, delay_ms: index === instants.length - 1 ? filmRest_ms : step_ms });
  }
  return animatedPng(frames, canvas.width, canvas.height);
}

// figure_files.js offers it.
globalThis.filmApng = filmApng;
