/** The largest picture that the server takes. Bytes. */
export const pictureBytesMax = 20 * 1024 * 1024;

/** Returns why a file cannot be a picture of a document; null where it can. `picture` is what its bytes say that it is. */
export function refusedPicture(file: Pick<File, "name" | "size">, picture: Blob | null): string | null {
  if (file.size > pictureBytesMax)
    return `${file.name} has ${Math.ceil(file.size / 1_000_000)} MB, and pictures can have up to 20 MB. Nothing was changed. Make it smaller and try again.`;
  return picture === null
    ? `${file.name} is not a picture that browsers show (PNG, JPEG, GIF, WebP or SVG). Nothing was changed. Save it as one of these and try again.`
    : null;
}

/** Returns the name of a picture as a file; later attempts have a number. */
export function pictureName(name: string, attempt: number): string {
  const safe = name.replaceAll(/[\p{Cc}/\\:*?"<>|#%\u202a-\u202e\u2066-\u2069]/gu, "-").replace(/^[.\s]+/u, "");
  const at = safe.lastIndexOf(".");
  const [bare, ending] = at > 0 ? [safe.slice(0, at), safe.slice(at)] : [safe, ""];
  const short = bare.trim().slice(0, 80).toWellFormed() || "picture";
  return `${short}${attempt === 0 ? "" : `-${attempt + 1}`}${ending.slice(0, 10)}`;
}
