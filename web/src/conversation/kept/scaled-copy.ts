import { imageTakenByAll, needsScaledCopy, scaledSize } from "../../../../src/core/message/media-limits.ts";

/** The image types that a browser draws and providers take. */
const drawable = /^image\/(?:png|jpeg|webp|gif)$/;

/** JPEG qualities, the first of which gives a small enough file is used. */
const qualities = [0.9, 0.8, 0.65, 0.5, 0.35];

/**
 * Returns a smaller copy of an image that some provider does not take, drawn by the browser; null where the image is small
 * enough or cannot be drawn. What is transparent becomes white.
 */
export async function scaledCopyOf(file: Blob): Promise<Blob | null> {
  if (!drawable.test(file.type)) return null;
  let image: ImageBitmap;
  try {
    image = await createImageBitmap(file);
  } catch {
    return null;
  }
  try {
    if (!needsScaledCopy(file.size, image)) return null;
    const { width, height } = scaledSize(image);
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    if (context === null) return null;
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    for (const quality of qualities) {
      const copy = await jpegOf(canvas, quality);
      if (copy !== null && copy.size <= imageTakenByAll.bytesMax) return copy;
    }
    return null;
  } finally {
    image.close();
  }
}

function jpegOf(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/jpeg", quality);
  });
}
