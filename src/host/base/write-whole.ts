import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Writes the whole text or none of it, for its owner alone. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
