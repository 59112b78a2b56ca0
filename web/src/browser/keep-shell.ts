import { scriptAddress } from "./start-worker.ts";

/** Lets the browser keep the page and its scripts, so that it can be installed, and opens while the server is away. */
export function keepShell(): void {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  // Where the browser refuses, in a private window for example, the page works as before.
  void navigator.serviceWorker
    .register(scriptAddress("/service-worker.js"), { updateViaCache: "none" })
    .catch(() => undefined);
}
