import type { HeddleClient } from "../../../src/client/base/types.ts";
import { keepShell } from "../browser/keep-shell.ts";
import { signedInMember } from "../browser/session.ts";

/** Why a browser is not told anything once its pages are closed; words where the server or the push service says so. */
export type WhyNoPush = "unsupported" | "unreachable" | { readonly words: string };

const readyMs = 10_000;

/** Returns who asks in this page, as the settings keep it: another person in this browser has not asked. */
export function whoAsks(): string {
  return signedInMember()?.email ?? "owner";
}

/** Subscribes this browser with its push service, and at the server; null when that is done. Safe to repeat. */
export async function subscribePush(client: HeddleClient): Promise<WhyNoPush | null> {
  const worker = await readyWorker();
  if (worker === null) return "unsupported";
  const key = await client.call("push.key", {});
  if (!key.ok) return { words: key.error.message };
  const subscription = await worker.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key.value.publicKey })
    .catch(() => null);
  if (subscription === null) return "unreachable";
  const { endpoint, keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
  const answer = await client.call("push.subscribe", { endpoint: endpoint ?? "", p256dh, auth, page: location.origin });
  if (answer.ok) return null;
  await subscription.unsubscribe();
  return { words: answer.error.message };
}

/** Ends this browser's subscription, if there is one. */
export async function unsubscribePush(client: HeddleClient): Promise<void> {
  const worker = await readyWorker(0);
  const subscription = (await worker?.pushManager.getSubscription()) ?? null;
  if (subscription === null) return;
  await client.call("push.unsubscribe", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

/** Returns the page's service worker, started where it has not been; null where the browser has none, or no pushes. */
async function readyWorker(waitMs = readyMs): Promise<ServiceWorkerRegistration | null> {
  if (!isSecureContext || !("serviceWorker" in navigator) || !("PushManager" in globalThis)) return null;
  const known = await navigator.serviceWorker.getRegistration();
  if (known?.active !== undefined && known.active !== null) return known;
  if (waitMs === 0) return null;
  await keepShell();
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), waitMs));
  return Promise.race([navigator.serviceWorker.ready, late]);
}
