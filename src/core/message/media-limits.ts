/** What every provider with a known limit takes of one image: bytes, and pixels of its longest side. */
export const imageTakenByAll = { bytesMax: 3_750_000, sideMax: 8_000 } as const;

/** The longest side of a scaled copy in pixels: more is scaled down again by the large providers. */
const scaledSideMax = 2_000;

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Whether some provider does not take an image, so that a scaled copy goes along with it. */
export function needsScaledCopy(bytes: number, { width, height }: ImageSize): boolean {
  return bytes > imageTakenByAll.bytesMax || Math.max(width, height) > imageTakenByAll.sideMax;
}

/** Returns the size of a scaled copy: the same shape, whole pixels, at least one on each side, never larger. */
export function scaledSize({ width, height }: ImageSize): ImageSize {
  const factor = Math.min(1, scaledSideMax / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Returns every blob that a source names. */
export function blobIdsIn(source: {
  readonly type: string;
  readonly id?: string;
  readonly scaled?: { readonly id: string };
}) {
  if (source.type !== "blob" || source.id === undefined) return [];
  return source.scaled === undefined ? [source.id] : [source.id, source.scaled.id];
}
