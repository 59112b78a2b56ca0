/** The most that one file of an archive may unpack to, and how many files an archive may have. Bytes. */
const fileBytesMax = 500_000_000;
const filesMax = 200_000;

interface ZipEntry {
  readonly name: string;
  readonly packed: boolean;
  readonly size: number;
  readonly unpackedSize: number;
  readonly at: number;
}

/**
 * Returns the text of the first file of a ZIP archive whose last name is `name`; null where there is none. Only that file is
 * read and unpacked. Rejects where the archive is damaged, encrypted or too large.
 */
export async function textInZip(archive: Blob, name: string): Promise<string | null> {
  const entry = (await entriesOf(archive)).find((each) => each.name.split("/").at(-1) === name);
  if (entry === undefined) return null;
  if (entry.unpackedSize > fileBytesMax) throw new Error(`${name} is larger than 500 MB`);
  const head = await view(archive, entry.at, 30);
  if (head.getUint32(0, true) !== 0x04034b50) throw new Error("the archive is damaged");
  const begin = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const bytes = archive.slice(begin, begin + entry.size);
  const stream = entry.packed ? bytes.stream().pipeThrough(new DecompressionStream("deflate-raw")) : bytes.stream();
  return new Response(bounded(stream, fileBytesMax)).text();
}

function bounded(stream: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  let size = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        size += piece.length;
        if (size > most) controller.error(new Error("a file of the archive is too large"));
        else controller.enqueue(piece);
      },
    }),
  );
}

async function entriesOf(archive: Blob): Promise<readonly ZipEntry[]> {
  const tail = Math.max(0, archive.size - 65_600);
  const end = await view(archive, tail, archive.size - tail);
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at -= 1;
  if (at < 0) throw new Error("it is no ZIP archive");
  const count = end.getUint16(at + 10, true);
  const from = end.getUint32(at + 16, true);
  if (count > filesMax || from === 0xffffffff) throw new Error("the archive has too many files");
  const directory = await view(archive, from, end.getUint32(at + 12, true));
  const entries: ZipEntry[] = [];
  for (let place = 0; place + 46 <= directory.byteLength && entries.length < count;) {
    if (directory.getUint32(place, true) !== 0x02014b50) throw new Error("the archive is damaged");
    const nameLength = directory.getUint16(place + 28, true);
    const bytes = new Uint8Array(directory.buffer, directory.byteOffset + place + 46, nameLength);
    entries.push({
      name: new TextDecoder().decode(bytes),
      packed: directory.getUint16(place + 10, true) === 8,
      size: directory.getUint32(place + 20, true),
      unpackedSize: directory.getUint32(place + 24, true),
      at: directory.getUint32(place + 42, true),
    });
    place += 46 + nameLength + directory.getUint16(place + 30, true) + directory.getUint16(place + 32, true);
  }
  return entries;
}

async function view(archive: Blob, from: number, length: number): Promise<DataView> {
  return new DataView(await archive.slice(from, from + length).arrayBuffer());
}
