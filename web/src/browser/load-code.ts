const longestWaitMs = 5_000;

/**
 * Loads a part of the page's code, and while the server is away tries again until it answers: what a person has open stays,
 * and the part comes later. Rejects when the server answers without this code: it has another build, and only a reload helps.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await load();
    } catch {
      // Once more: the server may have come back between the two.
      if (await serverAnswers()) return load();
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function serverAnswers(): Promise<boolean> {
  return fetch("/", { method: "HEAD", cache: "no-store" }).then(
    () => true,
    () => false,
  );
}
