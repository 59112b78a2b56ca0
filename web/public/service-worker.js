// Keeps the app's shell for when the server is away: its page, scripts and styles, and nothing else. What the server answers
// always comes first, so that no page of an earlier build is shown while the server can be reached.

const shell = "heddle-shell";
const page = "/";
/** Files whose names change with what is in them. */
const named = /^\/assets\/.+-[\w-]{8,}\.[a-z0-9]+$/;
const fixed = new Set(["/theme.js", "/favicon.svg", "/icon-maskable.svg", "/manifest.webmanifest"]);

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(fetch(page).then(keepPage));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === page) event.respondWith(freshPage(event));
  else if (named.test(pathname)) event.respondWith(namedFile(event, pathname));
  else if (fixed.has(pathname)) event.respondWith(fetch(request).catch((away) => kept(pathname, away)));
});

const words = {
  waits: "An agent waits for your decision or your answer.",
  failed: "The turn failed. Open the conversation to see why.",
  finished: "The agent has finished.",
};

/** What the server sends while no page is seen: what happened in which conversation. */
addEventListener("push", (event) => {
  const { kind, rootId, title } = event.data.json();
  const shown = { body: words[kind], tag: `heddle ${rootId}`, icon: "/favicon.svg", data: { rootId } };
  event.waitUntil(registration.showNotification(title, shown));
});

/** A press on a notification shows the page that asked for it, or the conversation that a push is about. */
addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  const rootId = notification.data?.rootId;
  event.waitUntil(
    clients.matchAll({ type: "window" }).then(async ([client]) => {
      if (client === undefined)
        return clients.openWindow(rootId === undefined ? page : `${page}#conversation=${encodeURIComponent(rootId)}`);
      const said =
        rootId === undefined
          ? { type: "notification-clicked", tag: notification.tag }
          : { type: "push-clicked", rootId };
      client.postMessage(said, []);
      return client.focus();
    }),
  );
});

async function freshPage(event) {
  let response;
  try {
    response = await fetch(event.request);
  } catch (away) {
    return kept(page, away);
  }
  if (response.ok) event.waitUntil(keepPage(response.clone()));
  return response;
}

async function namedFile(event, pathname) {
  const cache = await caches.open(shell);
  const known = await cache.match(pathname);
  if (known !== undefined) return known;
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(cache.put(pathname, response.clone()));
  return response;
}

/** Keeps a page with the files that it names, all of them or none; files of an earlier build go. */
async function keepPage(response) {
  if (!response.ok) return;
  const text = await response.clone().text();
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)]
    .map(([, path]) => path)
    .filter((path) => named.test(path) || fixed.has(path));
  const cache = await caches.open(shell);
  const before = await cache.match(page);
  const isSame = before !== undefined && (await before.text()) === text;
  if (!isSame) await cache.addAll([...new Set(files)]);
  await cache.put(page, response);
  if (before === undefined || isSame) return;
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname !== page && !files.includes(pathname)) await cache.delete(request);
  }
}

async function kept(path, away) {
  const response = await (await caches.open(shell)).match(path);
  if (response === undefined) throw away;
  return response;
}
