import { scriptAddress } from "./start-worker.ts";

/**
 * Lets the browser keep the page and its scripts, so that it can be installed, and opens while the server is away. Rejects
 * when the server went away meanwhile.
 */
export async function keepShell(): Promise<void> {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(scriptAddress("/service-worker.js"), { updateViaCache: "none" });
  } catch (error) {
    // Where the browser refuses, in a private window for example, the page works as before.
    if (error instanceof TypeError) throw error;
  }
}
