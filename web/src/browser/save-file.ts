/** Returns a name for a file of this title, without its extension and without what systems refuse in names. */
export function fileNameOf(title: string, otherwise: string): string {
  return title.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, "-").trim() || otherwise;
}

/** Gives a person bytes as a file of this name, as a link to one would. */
export function saveFile(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
