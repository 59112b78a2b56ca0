/** A picture ready to be shown. */
export interface ShownPicture {
  readonly url: string;
  readonly blob: Blob;
  readonly width: number;
  readonly height: number;
}

const keptMax = 200;

/** Loads pictures once for each address, and keeps the last ones. */
export class ShownPictures {
  readonly #load: (address: string) => Promise<Blob | null>;
  readonly #known = new Map<string, Promise<ShownPicture | null>>();
  readonly #sizes = new Map<string, ShownPicture>();

  constructor(load: (address: string) => Promise<Blob | null>) {
    this.#load = load;
  }

  /** Returns a picture that has been loaded, so that its height is known before it is drawn again. */
  loaded(address: string): ShownPicture | null {
    return this.#sizes.get(address) ?? null;
  }

  /** Loads a picture; null where it is away or is none. A failure is tried again the next time. */
  show(address: string): Promise<ShownPicture | null> {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const coming = this.#shown(address);
    this.#known.set(address, coming);
    if (this.#known.size > keptMax) this.#forgetOldest();
    return coming;
  }

  close(): void {
    for (const { url } of this.#sizes.values()) URL.revokeObjectURL(url);
    this.#sizes.clear();
    this.#known.clear();
  }

  async #shown(address: string): Promise<ShownPicture | null> {
    const bytes = await this.#load(address);
    const blob = bytes === null ? null : await asPicture(bytes);
    const picture = blob === null ? null : await measured(blob);
    if (picture === null) this.#known.delete(address);
    else this.#sizes.set(address, picture);
    return picture;
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest === undefined) return;
    this.#known.delete(oldest);
    const picture = this.#sizes.get(oldest);
    this.#sizes.delete(oldest);
    if (picture !== undefined) URL.revokeObjectURL(picture.url);
  }
}

async function measured(blob: Blob): Promise<ShownPicture | null> {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(url);
    return null;
  }
  return { url, blob, width: image.naturalWidth || 300, height: image.naturalHeight || 150 };
}

/**
 * Returns bytes as a picture that browsers draw, judged by the bytes; null for any other. An SVG becomes one only here: the
 * server keeps it as text, and inside an image element it runs no script and loads nothing.
 */
export async function asPicture(file: Blob): Promise<Blob | null> {
  const head = new Uint8Array(await file.slice(0, 2_048).arrayBuffer());
  const type = pictureType(head);
  return type === null ? null : file.slice(0, file.size, type);
}

/** Returns the type of a picture by its first bytes; null for anything else. */
export function pictureType(head: Uint8Array): string | null {
  const begins = (signs: string, at = 0): boolean =>
    Array.from(signs).every((sign, index) => head[at + index] === sign.charCodeAt(0));
  if (begins("\u0089PNG\r\n")) return "image/png";
  if (begins("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (begins("GIF87a") || begins("GIF89a")) return "image/gif";
  if (begins("RIFF") && begins("WEBP", 8)) return "image/webp";
  const text = new TextDecoder().decode(head);
  return /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/su.test(text)
    ? "image/svg+xml"
    : null;
}
